// Package xgbvars sets the variables that github.com/jezek/xgb keeps for the whole process: its log, and how
// the events and errors of extensions are read. They are set once and before any connection, since every
// connection's reader looks at them without a lock.
//
// It opens no connection and knows no server.
package xgbvars
