package connect

import (
	"path/filepath"

	"conch/mcp/connect/apps"
	"conch/mcp/connect/disk"
	"conch/mcp/connect/splice"
)

// Found is an entry that starts Conch.
type Found struct {
	App     apps.App
	File    string
	Name    string // what the entry is called
	Client  string // the client it names
	Command string // the launcher it starts
	Current bool   // that is our launcher
	Off     bool   // the person switched it off in the app
	Text    string // the entry as it stands there
}

// Find looks for our entries in all places where the app may have its settings. Entries of a file that can be
// read are given even when another one gives an error.
func (c *Connector) Find(app apps.App) (found []Found, first error) {
	seen := map[string]bool{}
	for _, path := range app.Files(c.Env) {
		f, err := disk.Read(path)
		if err == nil && (f.Info == nil || seen[f.Real]) {
			continue
		}
		seen[f.Real] = true
		var here []Found
		if err == nil {
			here, err = c.find(app, f)
		}
		if err != nil && first == nil {
			first = c.leftAlone(app, path, "", err)
		}
		found = append(found, here...)
	}
	return found, first
}

func (c *Connector) find(app apps.App, f disk.File) ([]Found, error) {
	tree, err := splice.Read(app.Syntax, f.Data)
	if err != nil {
		return nil, err
	}
	var out []Found
	for _, name := range names {
		command, client, off, ok := c.ours(app, tree, name)
		if !ok {
			continue
		}
		text, err := splice.Text(app.Syntax, f.Data, splice.Path{Parent: app.Parent, Name: name})
		if err != nil {
			return nil, err
		}
		out = append(out, Found{
			App: app, File: f.Path, Name: name, Client: client, Text: text,
			Command: command, Current: command == c.Launcher, Off: off,
		})
	}
	return out, nil
}

// taken says whether there is an entry called name, whoever's it is.
func taken(app apps.App, tree map[string]any, name string) bool {
	table, _ := tree[app.Parent].(map[string]any)
	_, there := table[name]
	return there
}

// ours says whether the entry called name starts a launcher of Conch's, in exactly the words that Conch
// writes. Anything else under our name is somebody else's.
func (c *Connector) ours(app apps.App, tree map[string]any, name string) (command, client string, off, ok bool) {
	table, _ := tree[app.Parent].(map[string]any)
	entry, _ := table[name].(map[string]any)
	command, _ = entry[app.Command].(string)
	list, _ := entry[app.Args].([]any)
	if len(list) != len(Args("")) || !filepath.IsAbs(command) {
		return "", "", false, false
	}
	client, _ = list[len(list)-1].(string)
	for i, want := range Args(client) {
		if got, is := list[i].(string); !is || got != want {
			return "", "", false, false
		}
	}
	if !clientID.MatchString(client) || filepath.Base(command) != filepath.Base(c.Launcher) {
		return "", "", false, false
	}
	off = app.Off != "" && entry[app.Off] == splice.Raw(app.OffIs)
	return command, client, off, true
}
