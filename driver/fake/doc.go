// Package fake is a desktop that is written down: a driver.Driver for tests of everything above a platform.
// Its windows are drawn into pictures, take clicks and typing, and change by themselves as a script says. It
// keeps the Driver contract strictly, so that a caller who doesn't is found out here. It never touches a
// real screen.
//
// A screen is a txtar archive. The file "screen" says what there is at the start; the others are named after
// what makes them happen:
//
//	-- screen --
//	display main 1440x900 @2 at -1440,0
//	app org.gnome.Calculator "Calculator"
//	window 7 "Notes" com.apple.Notes 100,80 600x400 { field body 120,120 560x280; button save "Save" 620,420 60x24 }
//	-- after click save --
//	wait 200ms
//	window 9 "1Password" com.1password.1password 300,200 500x300 front
//	-- after open org.gnome.Calculator --
//	window 10 "Calculator" org.gnome.Calculator 200,200 300x400 front
//
// All places are on the desktop, in points. A line starting with "#" is a comment. The lines:
//
//	display ID WxH [@SCALE] [at X,Y] [main] [name "…"]     adds a display, or changes the one with that ID
//	undisplay ID                                           unplugs it
//	window ID "Title" APP X,Y WxH [OPTIONS] [{ CONTROLS }] adds a window, or changes the one with that ID
//	close ID · front ID · back ID · focus ID               front also gives it the keys
//	move ID X,Y [WxH] · title ID "…" · color ID RRGGBB · repaint ID
//	label NAME "…" · keys NAME                             a control is called otherwise, has the keys
//	draws ID DURATION                                      its content changes every 20 ms for that long
//	app ID "Name" [exe PATH] [also "Other name"]…          an app that can be opened
//	pointer X,Y
//	unready WHY ["Say" ["Next"]] · ready                   WHY: nodisplay wayland locked asleep lost permission unknown
//	slow METHOD DURATION · hang METHOD · fail METHOD "…" · fine METHOD
//	person holds · person lets go                          a modifier is down on the real keyboard
//	wait DURATION                                          the lines below happen that much later
//
// METHOD is a Driver method in small letters; a slow text waits before each grapheme, any other before it
// acts. Windows of the screen file are written front to back; later ones come in front. OPTIONS:
//
//	front (has the keys) · back · name "App name" · pid N · exe PATH · class C · instance I · role R · for ID
//	ours (a window of this program) · through (clicks go through) · color RRGGBB (of the content) · draws DURATION
//
// CONTROLS are separated by ";" or lines:
//
//	field NAME X,Y WxH [label "…"] [secure] [lines] [text "…"] [focused]
//	button NAME "Label" X,Y WxH [default] [focused]
//	control ROLE NAME "Label" X,Y WxH [focused]
//
// A control that isn't a field and has the keys is pressed by Return and space, as by a click; a default button
// is pressed by Return from anywhere else in its window but a field of several lines.
//
// What can happen: "after click NAME" (a button or field), "after click ID" (a window), "after type FIELD"
// (anything), "after type FIELD "words"" (once it holds them), "after key CHORD", "after open APP", "after
// look [N]" (each, or the N-th), "after scroll ID". A script runs each time.
package fake
