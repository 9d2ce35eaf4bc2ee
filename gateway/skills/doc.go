// Package skills keeps the person's skills: folders with a SKILL.md that tell the assistant how to do one kind
// of work. It finds them, reads them strictly, looks for what could do harm, and remembers which exact version
// the person switched on. A chat that loads one is held to the skill's list of tools.
//
// It runs nothing of a skill, follows no symbolic link, and gives a chat only the text of a SKILL.md whose
// every byte is what the person switched on. What it finds in a skill is a warning; it proves nothing good.
package skills
