// The Stop keys and the listener: plain C, so that its Go side is checked without a Mac.
#ifndef CN_STOPKEYS_H
#define CN_STOPKEYS_H

#include <stdint.h>

// What a cn_event tells.
enum {
	CN_HOTKEY = 1,  // a Carbon hot key; id is the chord's
	CN_CHORD = 2,   // the tap heard a chord; id is the chord's
	CN_PERSON = 3,  // somebody other than us used the mouse or keyboard; id is a CN_DEED
	CN_TAPLOST = 4, // macOS ended the tap: the permission was taken away
	CN_BUTTON = 5,  // the Stop button was pressed
	CN_SCREENS = 6, // displays came, went or changed
	CN_MOTION = 7,  // the wish for reduced motion changed
};

// What a person did. x and y are where the pointer is, in points from the main display's top left.
enum { CN_DEED_MOVE = 1, CN_DEED_BUTTON = 2, CN_DEED_SCROLL = 3, CN_DEED_KEY = 4 };

// One record in the pipe: 24 bytes, written whole.
typedef struct {
	uint32_t kind, id;
	double x, y;
} cn_event;

// A chord: a virtual key code, with modifiers as Carbon (cmdKey…) and as Core Graphics name them.
typedef struct {
	uint32_t id, code, carbon;
	int32_t status; // out, of cn_hotkeys_on: 0, or why it is not registered (OSStatus)
	uint64_t flags;
} cn_chord;

// A key that macOS has for itself.
typedef struct {
	uint32_t code, carbon, enabled;
} cn_symbolic;

enum { CN_MAXCHORDS = 8 };

// cn_events_open makes the pipe that all events come through and says how our own events are marked
// (kCGEventSourceUserData). It returns the end to read, which does not block, or -errno. Call it once at a time.
int cn_events_open(int64_t mark);
// cn_events_close ends the pipe's writing end. The reading end is the caller's.
void cn_events_close(void);

// On the main thread only: registers the chords and fills in each one's status; returns how many there are now.
int cn_hotkeys_on(cn_chord *chords, int n);
// On the main thread only.
void cn_hotkeys_off(void);

// cn_tap_on starts listening on a thread of its own; returns 0, or -1 where macOS doesn't let us listen.
int cn_tap_on(const cn_chord *chords, int n);
// cn_tap_off returns once nothing listens any more.
void cn_tap_off(void);

// On the main thread only: the keys that macOS has for itself, at most max; returns how many, or -1.
int cn_symbolic_keys(cn_symbolic *out, int max);

#endif
