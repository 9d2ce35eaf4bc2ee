// Package otherapps is Settings → Other apps: it connects a person's other apps to Conch in one press, shows where each
// stands, and keeps their settings right. It brings together who is paired (pair), what is written where (connect) and
// the person's page (gateway).
//
// It decides nothing about who may do what: the gateway says whether a request is the person's and whether they
// confirmed it. No program and no tool can pair an app or widen what one may use through it.
package otherapps
