// Package xconn opens github.com/jezek/xgb connections that several parts of one process can use at once.
//
// xgb keeps the constructors of events and errors in two maps of the whole process, numbered as the last
// server numbered them, and every ext.Init writes to them while other connections read. So no ext.Init is
// called here: the maps are filled once, with plain bytes for every extension's number, and each connection
// knows the numbers of its own server (Conn.Decode). Its log goes to slog at debug level, and the first
// thing it says is the cookie of the environment it was given.
//
// It never reads an event, and never selects one: that is for whoever opened the connection.
package xconn
