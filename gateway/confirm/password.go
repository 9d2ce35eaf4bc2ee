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
func hash(password string) string {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails, by its documentation
	sum := argon2.IDKey([]byte(password), salt, hashPasses, hashMemory, hashLanes, hashSize)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashLanes, enc.EncodeToString(salt), enc.EncodeToString(sum))
}

var errHash = errors.New("the password's hash in Conch's folder can't be read")

// fits says whether a password is the one of a hash. What it costs is bounded, whatever the text says.
func fits(text, password string) (bool, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return false, errHash
	}
	var memory, passes uint32
	var lanes uint8
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil || n != 3 {
		return false, errHash
	}
	if memory < 8*uint32(lanes) || memory > mostMemory || passes < 1 || passes > mostPasses || lanes < 1 {
		return false, errHash
	}
	salt, err := base64.RawStdEncoding.Strict().DecodeString(parts[4])
	if err != nil || len(salt) < 8 || len(salt) > 64 {
		return false, errHash
	}
	want, err := base64.RawStdEncoding.Strict().DecodeString(parts[5])
	if err != nil || len(want) < 16 || len(want) > 64 {
		return false, errHash
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
