// Package xtest gives a test a private desktop of its own. It is for tests only.
package xtest
