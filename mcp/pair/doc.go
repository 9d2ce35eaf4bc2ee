// Package pair keeps the apps that a person paired, and knows which of them is calling. A launcher proves that it has
// its app's key by an HMAC over a nonce of ours, so the key never travels; an app that can't start a launcher shows
// its key, which is compared by its hash.
//
// It decides nothing about who may pair (gateway does), runs no call and serves nothing. A key is in no log, no error
// and no other app's file.
package pair
