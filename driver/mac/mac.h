// The face of macOS that Go sees: plain C numbers, strings and structs, no Objective-C type and no Apple
// header, so that any C compiler can check the Go side against it.
//
// Rectangles and points are in points of the desktop as CoreGraphics has it (origin at the main display's top
// left, y down), except where AppKit is named. Strings are UTF-8, cut at a character when they are too long.
// What a function hands out as a pointer is freed with cn_free. Functions may be called from any thread.
#ifndef CN_MAC_H
#define CN_MAC_H

#include <stdint.h>

// What became of a call.
enum {
	CN_OK = 0,
	CN_FAILED = 1,    // macOS said no; the text says what
	CN_LATE = 2,      // the main thread did not answer in time
	CN_DENIED = 3,    // a permission is missing
	CN_GONE = 4,      // the app, window or control is not there (any more)
	CN_CANCELLED = 5, // the person cancelled, or Conch did
	CN_BUSY = 6,      // the app did not answer in time
};

struct cn_point {
	double x, y;
};

struct cn_rect {
	double x, y, w, h;
};

void cn_free(void *p);

// --- see.m: displays, windows, the pointer ---

struct cn_display {
	uint32_t id;
	int32_t main;
	int32_t asleep;
	int32_t known;          // 1: visible and name were read
	double scale;           // device pixels per point
	struct cn_rect bounds;
	struct cn_rect visible; // AppKit's rectangle without menu bar and Dock
	char name[128];
};

struct cn_window {
	uint32_t id;
	int32_t pid;
	int32_t layer;
	double alpha;
	struct cn_rect bounds;
	char title[512];
	char owner[128]; // the app's name
	char bundle[128];
	char exe[1024];
};

// Both hand out an array, NULL when there is nothing, and say how long it is.
struct cn_display *cn_displays(int32_t *n);
struct cn_window *cn_windows(int32_t *n);
struct cn_point cn_pointer(void);

// The app that has the keys, and the place of its window that has them (w is 0 when unknown).
int32_t cn_focus(int32_t *pid, struct cn_rect *window);

// --- capture.m: pictures, and that something changed ---

// Takes a picture of an area of a display (points from the display's top left) at w by h pixels, without the
// apps and windows named. The answer is one cn_pixels with this ticket. No window of an app that is left out
// may be among windows: macOS would show it.
void cn_capture(uint64_t ticket, uint32_t display, struct cn_rect area, int32_t w, int32_t h,
	const int32_t *pids, int32_t n_pids, const uint32_t *windows, int32_t n_windows);

// Starts telling of changes of the displays, our own windows apart: cn_changed with this watch. The answer to
// the start is one cn_answer with ticket; its code is CN_GONE when it runs but our own app was not in the list.
void cn_watch(uint64_t ticket, uint64_t watch, const uint32_t *displays, int32_t n);
void cn_unwatch(uint64_t watch);

// --- hands.m: mouse and keyboard ---

// Mouse events.
enum { CN_MOVE = 0, CN_DRAG = 1, CN_DOWN = 2, CN_UP = 3 };

// mark is what all that we post carries (kCGEventSourceUserData); it is set before anything is posted.
void cn_mark(int64_t mark);
// button is 0 left, 1 right, 2 middle. count is which click of a row this is.
int32_t cn_mouse(int32_t kind, struct cn_point at, int32_t button, int32_t count, uint64_t flags);
int32_t cn_scroll(int32_t right, int32_t down, uint64_t flags); // in lines
int32_t cn_key(uint16_t code, int32_t down, uint64_t flags);
// A key event that carries text instead of a key: at most 20 UTF-16 units.
int32_t cn_type(const uint16_t *units, int32_t n, int32_t down, uint64_t flags);
// What is down on the real keyboard and mouse: CGEventFlags, and one bit for each button.
void cn_held(uint64_t *flags, uint32_t *buttons);
double cn_double_click(void); // seconds

// Columns of a layout: what is held with a key.
enum { CN_PLAIN = 0, CN_SHIFT = 1, CN_OPTION = 2, CN_SHIFT_OPTION = 3, CN_COMMAND = 4, CN_SHIFT_COMMAND = 5, CN_COLUMNS = 6 };

struct cn_layout {
	uint16_t unit[768]; // column * 128 + key code; 0 where a key makes no single UTF-16 unit
	char id[128];
};

// Reads the active layout, or (ascii) the one that shortcuts use beside a script without Latin letters.
int32_t cn_read_layout(int32_t ascii, struct cn_layout *out);

// --- reach.m: accessible controls ---

struct cn_control {
	int32_t pid;
	int32_t secure; // a password field: text is never read
	int32_t hidden;
	struct cn_rect bounds;
	char role[64];
	char subrole[64];
	char title[512];
	char description[512];
	char label[512]; // title of the control that names it
	char text[512];  // of a piece of fixed text only, never of a field
};

// A control is a number that stands for a reference; cn_let_go gives it back.
int32_t cn_control_at(int32_t pid, struct cn_point at, uint64_t *out);
int32_t cn_front_window(int32_t pid, uint64_t *out);
// An app itself, whose children are its windows. What has the keys in an app, the button that Return presses in a window, and the window that a control is in.
int32_t cn_whole_app(int32_t pid, uint64_t *out);
int32_t cn_focused_control(int32_t pid, uint64_t *out);
int32_t cn_default_button(uint64_t window, uint64_t *out);
int32_t cn_window_of(uint64_t control, uint64_t *out);
int32_t cn_describe(uint64_t control, struct cn_control *out);
int32_t cn_children(uint64_t control, uint64_t *out, int32_t most, int32_t *n);
void cn_let_go(const uint64_t *controls, int32_t n);

// --- apps.m ---

struct cn_app {
	int32_t pid;     // 0 when it doesn't run
	int32_t regular; // has a place in the Dock
	char bundle[128];
	char name[128];    // in the person's language
	char english[128]; // as the bundle has it
	char exe[1024];
	char path[1024];
};

struct cn_app *cn_running(int32_t *n); // NULL and -1 when the main thread did not answer
int32_t cn_bundle(const char *path, struct cn_app *out);
// Opens an app or brings it to the front; the answer is one cn_answer.
void cn_open_app(uint64_t ticket, const char *bundle);
int32_t cn_open_url(const char *url);

// --- session.m: what stands in the way, and who we are ---

struct cn_session {
	int32_t known; // the session could be asked
	int32_t on_console;
	int32_t locked;
	int32_t secure;     // some app hears passwords: secure event input is on
	int32_t secure_pid; // whose; 0 unknown
	char secure_name[128];
};

void cn_session_now(struct cn_session *out);

int32_t cn_may_see(void);   // as this process knows it: it is asked once in a process's life
int32_t cn_may_click(void); // as it is now
void cn_ask_see(void);
void cn_ask_click(void);

struct cn_program {
	int32_t pid;
	char exe[1024];
	char bundle[128]; // of the app that it is the main program of
	char name[128];
};

// This process and those that started it, nearest first.
struct cn_program *cn_ancestors(int32_t *n);

struct cn_signature {
	int32_t signed_; // 0: not at all
	int32_t adhoc;
	int32_t valid;
	char identifier[128];
	char team[64];
	char bundle_path[1024];
};

void cn_own_signature(struct cn_signature *out);

// Asks the person to show that it's them (Touch ID, watch or login password). The answer is one cn_answer.
void cn_confirm(uint64_t ticket, const char *reason);
void cn_confirm_cancel(uint64_t ticket);

// Start at login, as SMAppServiceStatus: 0 off, 1 on, 2 wants approval in System Settings, 3 not found.
int32_t cn_login_status(void);
int32_t cn_login_set(int32_t on, char *say, int32_t size);

// --- notices.m: one notification of the system's at a time. All but the first need that one to say 1. ---

int32_t cn_notice_can(void);
// Asks the person the first time, and says what they said ever after. The answer is one cn_answer.
void cn_notice_ask(uint64_t ticket);
// Shows a notification in place of the last. The answer is one cn_answer.
void cn_notice_show(uint64_t ticket, const char *title, const char *text);
void cn_notice_hide(void);

// --- *_darwin.go: what Go answers. Each only sends on a channel, so it never waits. ---

extern void cn_answer(uint64_t ticket, int32_t code, char *say);
// Go takes the pixels, and blanks and frees them, also when nobody waits for them any more.
extern void cn_pixels(uint64_t ticket, int32_t code, void *bgra, int64_t stride, int32_t w, int32_t h, int32_t missing, char *say);
extern void cn_changed(uint64_t watch, int32_t stopped);
extern void cn_notice_pressed(void);

#endif
