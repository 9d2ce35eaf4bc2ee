package splice

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Equal says whether two trees mean the same.
func Equal(a, b map[string]any) bool { return reflect.DeepEqual(a, b) }

// tableOf is the table under key; nil when there is none yet. Anything else there is an error.
func tableOf(tree map[string]any, key string) (map[string]any, error) {
	v, there := tree[key]
	if !there || v == nil {
		return nil, nil
	}
	table, ok := v.(map[string]any)
	if !ok {
		return nil, Unreadable("has something else where “" + key + "” should be a group of entries")
	}
	return table, nil
}

func has(tree map[string]any, at Path) bool {
	table, _ := tree[at.Parent].(map[string]any)
	_, there := table[at.Name]
	return there
}

func withEntry(tree map[string]any, at Path, fields []Field) map[string]any {
	table, _ := tree[at.Parent].(map[string]any)
	table = copied(table)
	table[at.Name] = entryTree(fields)
	out := copied(tree)
	out[at.Parent] = table
	return out
}

func withoutEntry(tree map[string]any, at Path) map[string]any {
	table, _ := tree[at.Parent].(map[string]any)
	table = copied(table)
	delete(table, at.Name)
	out := copied(tree)
	out[at.Parent] = table
	return out
}

// dropEmpty leaves out the table key when nothing is in it.
func dropEmpty(tree map[string]any, key string) map[string]any {
	v, there := tree[key]
	if table, ok := v.(map[string]any); there && (v == nil || ok && len(table) == 0) {
		tree = copied(tree)
		delete(tree, key)
	}
	return tree
}

// withString is the tree with one string of an entry changed; nil when no string is there.
func withString(tree map[string]any, at Path, v Assign) map[string]any {
	table, _ := tree[at.Parent].(map[string]any)
	entry, _ := table[at.Name].(map[string]any)
	entry = copied(entry)
	switch old := entry[v.Key].(type) {
	case string:
		if v.Index >= 0 {
			return nil
		}
		entry[v.Key] = v.To
	case []any:
		if v.Index < 0 || v.Index >= len(old) {
			return nil
		}
		if _, ok := old[v.Index].(string); !ok {
			return nil
		}
		list := slices.Clone(old)
		list[v.Index] = v.To
		entry[v.Key] = list
	default:
		return nil
	}
	table = copied(table)
	table[at.Name] = entry
	out := copied(tree)
	out[at.Parent] = table
	return out
}

// copied is a copy of one level that can be written to.
func copied(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}

func entryTree(fields []Field) map[string]any {
	out := map[string]any{}
	for _, f := range fields {
		switch v := f.Value.(type) {
		case string:
			out[f.Name] = v
		case bool:
			out[f.Name] = Raw(strconv.FormatBool(v))
		case int:
			out[f.Name] = Raw(strconv.Itoa(v))
		case []string:
			list := make([]any, len(v))
			for i, s := range v {
				list[i] = s
			}
			out[f.Name] = list
		case Empty:
			out[f.Name] = map[string]any{}
		default:
			panic("splice: a field of an unknown type: " + f.Name)
		}
	}
	return out
}
