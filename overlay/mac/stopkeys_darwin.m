#import <AppKit/AppKit.h>
#import <Carbon/Carbon.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "events_darwin.h"
#include "stopkeys_darwin.h"

// The pipe. Its lock keeps a record from being written to a descriptor that was closed meanwhile, and may be another
// file's by now. Whoever holds it never waits, since the pipe doesn't block.

static pthread_mutex_t cn_pipe_lock = PTHREAD_MUTEX_INITIALIZER;
static int cn_pipe = -1;
static _Atomic int64_t cn_own = 0;

int cn_events_open(int64_t mark) {
	int ends[2];
	if (pipe(ends) != 0) return -errno;
	for (int i = 0; i < 2; i++) {
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
		fcntl(ends[i], F_SETFL, O_NONBLOCK);
	}
	fcntl(ends[1], F_SETNOSIGPIPE, 1);
	atomic_store(&cn_own, mark);
	pthread_mutex_lock(&cn_pipe_lock);
	cn_pipe = ends[1];
	pthread_mutex_unlock(&cn_pipe_lock);
	return ends[0];
}

void cn_events_close(void) {
	pthread_mutex_lock(&cn_pipe_lock);
	if (cn_pipe >= 0) close(cn_pipe);
	cn_pipe = -1;
	pthread_mutex_unlock(&cn_pipe_lock);
}

// A full pipe means that hundreds of records wait, so Go reads no more and one less changes nothing.
void cn_tell(uint32_t kind, uint32_t id, double x, double y) {
	cn_event e = {kind, id, x, y};
	pthread_mutex_lock(&cn_pipe_lock);
	if (cn_pipe >= 0) (void)!write(cn_pipe, &e, sizeof e);
	pthread_mutex_unlock(&cn_pipe_lock);
}

int cn_is_own(CGEventRef e) {
	return e && (CGEventGetIntegerValueField(e, kCGEventSourceUserData) == atomic_load(&cn_own) ||
				 CGEventGetIntegerValueField(e, kCGEventSourceUnixProcessID) == getpid());
}

// Hot keys. Only the main thread comes here.

static const OSType cn_signature = 'Cnch';
static EventHotKeyRef cn_keys[CN_MAXCHORDS];
static EventHandlerRef cn_handler;

static OSStatus cn_hotkey(EventHandlerCallRef next, EventRef event, void *data) {
	EventHotKeyID id;
	if (GetEventParameter(event, kEventParamDirectObject, typeEventHotKeyID, NULL, sizeof id, NULL, &id) != noErr ||
		id.signature != cn_signature) {
		return eventNotHandledErr;
	}
	CGEventRef e = CopyEventCGEvent(event); // NULL where macOS doesn't keep it: then the press counts
	if (!cn_is_own(e)) cn_tell(CN_HOTKEY, id.id, 0, 0);
	if (e) CFRelease(e);
	return noErr;
}

int cn_hotkeys_on(cn_chord *chords, int n) {
	cn_hotkeys_off();
	if (n > CN_MAXCHORDS) n = CN_MAXCHORDS;
	EventTypeSpec pressed = {kEventClassKeyboard, kEventHotKeyPressed};
	OSStatus no = InstallEventHandler(GetEventDispatcherTarget(), cn_hotkey, 1, &pressed, NULL, &cn_handler);
	int on = 0;
	for (int i = 0; i < n; i++) {
		EventHotKeyID id = {cn_signature, chords[i].id};
		chords[i].status = no != noErr ? no
									   : RegisterEventHotKey(chords[i].code, chords[i].carbon, id,
															 GetEventDispatcherTarget(), 0, &cn_keys[i]);
		if (chords[i].status == noErr) on++;
		else cn_keys[i] = NULL;
	}
	return on;
}

void cn_hotkeys_off(void) {
	for (int i = 0; i < CN_MAXCHORDS; i++) {
		if (cn_keys[i]) UnregisterEventHotKey(cn_keys[i]);
		cn_keys[i] = NULL;
	}
	if (cn_handler) RemoveEventHandler(cn_handler);
	cn_handler = NULL;
}

int cn_symbolic_keys(cn_symbolic *out, int max) {
	CFArrayRef all = NULL;
	if (CopySymbolicHotKeys(&all) != noErr || !all) return -1;
	int n = 0;
	for (CFIndex i = 0; i < CFArrayGetCount(all) && n < max; i++) {
		CFDictionaryRef d = CFArrayGetValueAtIndex(all, i);
		CFNumberRef code = CFDictionaryGetValue(d, kHISymbolicHotKeyCode);
		CFNumberRef mods = CFDictionaryGetValue(d, kHISymbolicHotKeyModifiers);
		CFBooleanRef on = CFDictionaryGetValue(d, kHISymbolicHotKeyEnabled);
		int32_t c = -1, m = 0;
		if (!code || !mods || !CFNumberGetValue(code, kCFNumberSInt32Type, &c) ||
			!CFNumberGetValue(mods, kCFNumberSInt32Type, &m) || c < 0) {
			continue;
		}
		out[n++] = (cn_symbolic){(uint32_t)c, (uint32_t)m, on && CFBooleanGetValue(on)};
	}
	CFRelease(all);
	return n;
}

// The tap, on a thread of its own: a busy main thread must not delay Stop, nor get the tap switched off.

typedef struct {
	cn_chord chords[CN_MAXCHORDS];
	int n;
	CFMachPortRef port;
	CFRunLoopRef loop; // retained: the thread may end by itself, and its loop would go with it
	atomic_bool ending;
	dispatch_semaphore_t started;
	uint64_t told[CN_DEED_KEY + 1]; // when each deed was told last, in nanoseconds of uptime
} cn_listener;

static pthread_t cn_thread;
static cn_listener *cn_listening; // of whoever calls cn_tap_on and cn_tap_off, which Go does one at a time

// A person's mouse makes a thousand events a second; one record in 30 ms says as much.
static void cn_person(cn_listener *l, uint32_t deed, CGEventRef e) {
	uint64_t now = clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
	if (now - l->told[deed] < 30 * NSEC_PER_MSEC) return;
	l->told[deed] = now;
	CGPoint p = CGEventGetLocation(e);
	cn_tell(CN_PERSON, deed, p.x, p.y);
}

static void cn_key(cn_listener *l, CGEventRef e) {
	const uint64_t mods = kCGEventFlagMaskShift | kCGEventFlagMaskControl | kCGEventFlagMaskAlternate | kCGEventFlagMaskCommand;
	uint32_t code = (uint32_t)CGEventGetIntegerValueField(e, kCGKeyboardEventKeycode);
	uint64_t flags = CGEventGetFlags(e) & mods;
	for (int i = 0; i < l->n; i++) {
		if (l->chords[i].code == code && l->chords[i].flags == flags) cn_tell(CN_CHORD, l->chords[i].id, 0, 0);
	}
	cn_person(l, CN_DEED_KEY, e);
}

static CGEventRef cn_heard(CGEventTapProxy proxy, CGEventType type, CGEventRef e, void *data) {
	cn_listener *l = data;
	switch (type) {
	case kCGEventTapDisabledByTimeout:
	case kCGEventTapDisabledByUserInput:
		CGEventTapEnable(l->port, true);
		if (!CGEventTapIsEnabled(l->port)) cn_tell(CN_TAPLOST, 0, 0, 0);
		return e;
	default:
		break;
	}
	if (cn_is_own(e)) return e;
	switch (type) {
	case kCGEventKeyDown: cn_key(l, e); break;
	case kCGEventFlagsChanged: cn_person(l, CN_DEED_KEY, e); break;
	case kCGEventScrollWheel: cn_person(l, CN_DEED_SCROLL, e); break;
	case kCGEventLeftMouseDown:
	case kCGEventRightMouseDown:
	case kCGEventOtherMouseDown: cn_person(l, CN_DEED_BUTTON, e); break;
	case kCGEventMouseMoved:
	case kCGEventLeftMouseDragged:
	case kCGEventRightMouseDragged:
	case kCGEventOtherMouseDragged: cn_person(l, CN_DEED_MOVE, e); break;
	default: break;
	}
	return e;
}

static void *cn_listen(void *data) {
	cn_listener *l = data;
	pthread_setname_np("conch.stop");
	@autoreleasepool {
		const CGEventMask mask = CGEventMaskBit(kCGEventKeyDown) | CGEventMaskBit(kCGEventFlagsChanged) |
			CGEventMaskBit(kCGEventScrollWheel) | CGEventMaskBit(kCGEventLeftMouseDown) |
			CGEventMaskBit(kCGEventRightMouseDown) | CGEventMaskBit(kCGEventOtherMouseDown) |
			CGEventMaskBit(kCGEventMouseMoved) | CGEventMaskBit(kCGEventLeftMouseDragged) |
			CGEventMaskBit(kCGEventRightMouseDragged) | CGEventMaskBit(kCGEventOtherMouseDragged);
		l->port = CGEventTapCreate(kCGSessionEventTap, kCGHeadInsertEventTap, kCGEventTapOptionListenOnly, mask, cn_heard, l);
		CFRunLoopSourceRef source = l->port ? CFMachPortCreateRunLoopSource(NULL, l->port, 0) : NULL;
		if (source) {
			l->loop = (CFRunLoopRef)CFRetain(CFRunLoopGetCurrent());
			CFRunLoopAddSource(l->loop, source, kCFRunLoopCommonModes);
			CGEventTapEnable(l->port, true);
		}
		dispatch_semaphore_signal(l->started);
		if (source) {
			CFRunLoopRun();
			if (!atomic_load(&l->ending)) cn_tell(CN_TAPLOST, 0, 0, 0); // macOS took the port away
			CGEventTapEnable(l->port, false);
			CFRunLoopRemoveSource(l->loop, source, kCFRunLoopCommonModes);
			CFRelease(source);
		}
		if (l->port) {
			CFMachPortInvalidate(l->port);
			CFRelease(l->port);
		}
	}
	return NULL;
}

int cn_tap_on(const cn_chord *chords, int n) {
	if (cn_listening) return 0;
	cn_listener *l = calloc(1, sizeof *l);
	if (!l) return -1;
	l->n = n > CN_MAXCHORDS ? CN_MAXCHORDS : n;
	memcpy(l->chords, chords, sizeof(cn_chord) * (size_t)l->n);
	l->started = dispatch_semaphore_create(0);
	cn_listening = l;
	if (pthread_create(&cn_thread, NULL, cn_listen, l) != 0) {
		cn_listening = NULL;
		l->started = nil;
		free(l);
		return -1;
	}
	dispatch_semaphore_wait(l->started, DISPATCH_TIME_FOREVER);
	if (l->loop) return 0;
	cn_tap_off();
	return -1;
}

void cn_tap_off(void) {
	cn_listener *l = cn_listening;
	if (!l) return;
	atomic_store(&l->ending, true);
	// The loop may not have been entered yet, and a stop before that would be lost: it is asked from within.
	if (l->loop) {
		CFRunLoopRef loop = l->loop;
		CFRunLoopPerformBlock(loop, kCFRunLoopCommonModes, ^{
			CFRunLoopStop(loop);
		});
		CFRunLoopWakeUp(loop);
	}
	pthread_join(cn_thread, NULL);
	if (l->loop) CFRelease(l->loop);
	cn_listening = NULL;
	l->started = nil;
	free(l);
}
