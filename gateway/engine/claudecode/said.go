package claudecode

import (
	"encoding/base64"

	"github.com/go-json-experiment/json"

	"conch/gateway/engine"
)

// earlier is one message of the chat before the last. As JSON, no message can pass for another.
type earlier struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

// userLine is what claude is asked: the last message, what was said before it, and its picture.
func userLine(t engine.Turn) object {
	var before []earlier
	var last engine.Message
	for i, m := range t.Messages {
		if i == len(t.Messages)-1 {
			last = m
			break
		}
		by := "the person"
		if m.Role == engine.Assistant {
			by = "you"
		}
		before = append(before, earlier{by, m.Text})
	}
	var parts []object
	if len(before) > 0 {
		was, err := json.Marshal(before)
		if err == nil { // texts always can be
			parts = append(parts, object{"type": "text", "text": "What was said in this chat before, oldest first, as JSON:\n" + string(was) + "\n\nNow the person says what follows."})
		}
	}
	if last.Text != "" || last.Picture == nil {
		parts = append(parts, object{"type": "text", "text": last.Text})
	}
	if p := last.Picture; p != nil {
		parts = append(parts, object{"type": "image", "source": object{
			"type": "base64", "media_type": p.MIME, "data": base64.StdEncoding.EncodeToString(p.Data),
		}})
	}
	return object{
		"type": "user", "session_id": "", "parent_tool_use_id": nil, "message": object{"role": "user", "content": parts},
	}
}
