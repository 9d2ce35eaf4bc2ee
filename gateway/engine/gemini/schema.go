package gemini

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// keywords are those of JSON Schema that Google says it takes. Each other one is left out rather than sent, since a
// request with one may be refused whole; the tool itself checks its arguments in any case.
var keywords = []string{
	"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems",
	"minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
}

// takes is a schema without what Google doesn't take.
func takes(raw []byte) (jsontext.Value, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	return json.Marshal(trim(v), json.Deterministic(true))
}

// trim walks a schema: in an object that is a schema only known keywords stay; in one of named schemas all names do.
func trim(v any) any {
	s, ok := v.(map[string]any)
	if !ok {
		return v // true, false
	}
	out := map[string]any{}
	for k, v := range s {
		if !slices.Contains(keywords, k) {
			continue
		}
		switch k {
		case "properties", "$defs":
			if named, ok := v.(map[string]any); ok {
				inner := map[string]any{}
				for name, one := range named {
					inner[name] = trim(one)
				}
				v = inner
			}
		case "items", "additionalProperties":
			v = trim(v)
		case "anyOf", "oneOf", "prefixItems":
			if list, ok := v.([]any); ok {
				inner := make([]any, len(list))
				for i, one := range list {
					inner[i] = trim(one)
				}
				v = inner
			}
		}
		out[k] = v
	}
	return out
}
