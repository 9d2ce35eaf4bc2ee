// Package models keeps where a person has models (their accounts and servers), which one answers in which chat, and
// what a turn and a day may cost. It makes the engines and hands them to chats; it talks to a provider only to ask
// which models there are. Keys are in package secrets, and come out of here only into an engine.
package models
