package confirm

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// A password's hash is argon2id with RFC 9106's second recommendation: 64 MiB, three passes, four lanes.
const (
	hashMemory  = 64 << 10 // KiB
	hashPasses  = 3
	hashLanes   = 4
	hashSize    = 32
	saltSize    = 16
	mostMemory  = 1 << 20 // what a hash that is read may ask for: 1 GiB,
	mostPasses  = 16      // so many passes,
	passwordMin = 8       // characters
	passwordMax = 1024    // bytes
)

// CheckPassword says why a password can't be set; nil when it can.
func CheckPassword(p string) error {
	switch {
	case len([]rune(p)) < passwordMin:
		return &PasswordError{Say: fmt.Sprintf("That is short: use %d characters or more.", passwordMin)}
	case len(p) > passwordMax:
		return &PasswordError{Say: "That is too long."}
	}
	return nil
}

// PasswordError says why a password can't be set.
type PasswordError struct{ Say string }

func (e *PasswordError) Error() string { return e.Say }

// hash makes a password's hash in the usual text form ($argon2id$v=19$…), with a salt of its own.
func hash(kdf kdf, password string) string {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails, by its documentation
	sum := kdf([]byte(password), salt, hashPasses, hashMemory, hashLanes, hashSize)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashLanes, enc.EncodeToString(salt), enc.EncodeToString(sum))
}

var errHash = errors.New("the password's hash in Conch's folder can't be read")

// kdf makes a key of a password: argon2id.
type kdf func(password, salt []byte, passes, memory uint32, lanes uint8, size uint32) []byte

// hashed is a hash in its parts.
type hashed struct {
	salt, sum      []byte
	memory, passes uint32
	lanes          uint8
}

// noHash is what is worked through where there is no hash to compare with: it is as much work and fits nothing.
var noHash = hashed{salt: make([]byte, saltSize), memory: hashMemory, passes: hashPasses, lanes: hashLanes}

// fits says whether a password is the one of a hash. It does the same work whether there is a hash or not, and what
// that costs is bounded, whatever the text says. No text is no error and fits nothing.
func fits(kdf kdf, text, password string) (bool, error) {
	h, err := parse(text)
	if len(password) > passwordMax {
		h, password = noHash, "" // it can't be the one; more of it is more work
	}
	got := kdf([]byte(password), h.salt, h.passes, h.memory, h.lanes, hashSize)
	return err == nil && len(h.sum) == hashSize && subtle.ConstantTimeCompare(got, h.sum) == 1, err
}

// parse reads a hash; without one that can be read it returns noHash.
func parse(text string) (hashed, error) {
	if text == "" {
		return noHash, nil
	}
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return noHash, errHash
	}
	var h hashed
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil || n != 3 {
		return noHash, errHash
	}
	if h.memory < 8*uint32(h.lanes) || h.memory > mostMemory || h.passes < 1 || h.passes > mostPasses || h.lanes < 1 {
		return noHash, errHash
	}
	var err error
	if h.salt, err = base64.RawStdEncoding.Strict().DecodeString(parts[4]); err != nil || len(h.salt) < 8 || len(h.salt) > 64 {
		return noHash, errHash
	}
	if h.sum, err = base64.RawStdEncoding.Strict().DecodeString(parts[5]); err != nil || len(h.sum) != hashSize {
		return noHash, errHash
	}
	return h, nil
}
