#import "cn_private.h"
#import <Carbon/Carbon.h>
#include <stdlib.h>

static const OSType signature = 'CnSt';
enum { most_keys = 8 };
static EventHotKeyRef held[most_keys]; // on the main thread only

static OSStatus pressed(EventHandlerCallRef next, EventRef e, void *unused) {
	EventHotKeyID id;
	if (GetEventParameter(e, kEventParamDirectObject, typeEventHotKeyID, NULL, sizeof id, NULL, &id) != noErr || id.signature != signature) {
		return eventNotHandledErr;
	}
	cn_escape(id.id, 0);
	return noErr;
}

int32_t cn_hotkey_on(uint32_t which, uint32_t code, uint32_t mods) {
	if (which == 0 || which >= most_keys) {
		return CN_FAILED;
	}
	NSNumber *got = cn_on_main(1, ^id {
		static EventHandlerRef handler;
		if (handler == NULL) {
			EventTypeSpec down = {kEventClassKeyboard, kEventHotKeyPressed};
			OSStatus s = InstallEventHandler(GetEventDispatcherTarget(), pressed, 1, &down, NULL, &handler);
			if (s != noErr) {
				return @(s);
			}
		}
		if (held[which] != NULL) {
			return @(noErr);
		}
		EventHotKeyID id = {signature, which};
		return @(RegisterEventHotKey(code, mods, id, GetEventDispatcherTarget(), 0, &held[which]));
	});
	return got == nil ? CN_LATE : got.intValue == noErr ? CN_OK : CN_FAILED;
}

void cn_hotkey_off(uint32_t which) {
	if (which == 0 || which >= most_keys) {
		return;
	}
	// Not waited for: a key that stays for a moment stops nothing when nothing is lit.
	dispatch_async(dispatch_get_main_queue(), ^{
		if (held[which] != NULL) {
			UnregisterEventHotKey(held[which]);
			held[which] = NULL;
		}
	});
}

// CNTap is a listen-only tap with a thread of its own, so that a busy main thread doesn't keep Stop waiting.
@interface CNTap : NSObject
@property CFMachPortRef port;
@property CFRunLoopRef loop;
@property dispatch_semaphore_t ready;
@property dispatch_semaphore_t over;
@end

@implementation CNTap
- (void)run {
	@autoreleasepool {
		CFRunLoopSourceRef s = CFMachPortCreateRunLoopSource(NULL, self.port, 0);
		self.loop = (CFRunLoopRef)CFRetain(CFRunLoopGetCurrent());
		CFRunLoopAddSource(self.loop, s, kCFRunLoopCommonModes);
		CGEventTapEnable(self.port, true);
		dispatch_semaphore_signal(self.ready);
		CFRunLoopRun();
		CFRunLoopRemoveSource(self.loop, s, kCFRunLoopCommonModes);
		CFRelease(s);
		CFMachPortInvalidate(self.port);
		dispatch_semaphore_signal(self.over);
	}
}

- (void)dealloc {
	if (_port != NULL) {
		CFRelease(_port);
	}
	if (_loop != NULL) {
		CFRelease(_loop);
	}
}
@end

static const int64_t escape = kVK_Escape;

static CGEventRef heard(CGEventTapProxy proxy, CGEventType type, CGEventRef e, void *about) {
	if (type == kCGEventTapDisabledByTimeout || type == kCGEventTapDisabledByUserInput) {
		CGEventTapEnable(((__bridge CNTap *)about).port, true);
		cn_person(CN_TAP_OFF, 0, 0);
		return e;
	}
	if (CGEventGetIntegerValueField(e, kCGEventSourceUserData) == cn_own_mark()) {
		return e;
	}
	switch (type) {
	case kCGEventKeyDown:
		// Of a key it is told that it was one, and never which, except for the chords that stop.
		if (CGEventGetIntegerValueField(e, kCGKeyboardEventKeycode) == escape && (CGEventGetFlags(e) & kCGEventFlagMaskCommand)) {
			cn_escape(0, CGEventGetFlags(e));
		} else {
			cn_person(CN_PERSON_KEY, 0, 0);
		}
		break;
	case kCGEventScrollWheel:
		cn_person(CN_PERSON_SCROLL, 0, 0);
		break;
	case kCGEventMouseMoved:
	case kCGEventLeftMouseDragged:
	case kCGEventRightMouseDragged:
	case kCGEventOtherMouseDragged:
		cn_person(CN_PERSON_MOVE, CGEventGetDoubleValueField(e, kCGMouseEventDeltaX), CGEventGetDoubleValueField(e, kCGMouseEventDeltaY));
		break;
	default:
		cn_person(CN_PERSON_BUTTON, 0, 0);
	}
	return e;
}

static CNTap *tap; // under the lock of CNTap's class

int32_t cn_tap_on(void) {
	@synchronized(CNTap.class) {
		if (tap != nil) {
			return CN_OK;
		}
		CNTap *t = [[CNTap alloc] init];
		CGEventMask mask = CGEventMaskBit(kCGEventKeyDown) | CGEventMaskBit(kCGEventScrollWheel) | CGEventMaskBit(kCGEventMouseMoved) |
			CGEventMaskBit(kCGEventLeftMouseDragged) | CGEventMaskBit(kCGEventRightMouseDragged) | CGEventMaskBit(kCGEventOtherMouseDragged) |
			CGEventMaskBit(kCGEventLeftMouseDown) | CGEventMaskBit(kCGEventRightMouseDown) | CGEventMaskBit(kCGEventOtherMouseDown);
		t.port = CGEventTapCreate(kCGSessionEventTap, kCGHeadInsertEventTap, kCGEventTapOptionListenOnly, mask, heard, (__bridge void *)t);
		if (t.port == NULL) {
			return CN_DENIED;
		}
		t.ready = dispatch_semaphore_create(0);
		t.over = dispatch_semaphore_create(0);
		[NSThread detachNewThreadSelector:@selector(run) toTarget:t withObject:nil];
		dispatch_semaphore_wait(t.ready, DISPATCH_TIME_FOREVER);
		tap = t;
		return CN_OK;
	}
}

void cn_tap_off(void) {
	@synchronized(CNTap.class) {
		CNTap *t = tap;
		tap = nil;
		if (t == nil) {
			return;
		}
		CGEventTapEnable(t.port, false);
		CFRunLoopStop(t.loop);
		dispatch_semaphore_wait(t.over, DISPATCH_TIME_FOREVER); // its callback never waits for anything
	}
}

struct cn_symbolic *cn_symbolic_keys(int32_t *n) {
	*n = 0;
	@autoreleasepool {
		CFArrayRef keys = NULL;
		if (CopySymbolicHotKeys(&keys) != noErr || keys == NULL) {
			return NULL;
		}
		NSArray *all = CFBridgingRelease(keys);
		struct cn_symbolic *out = calloc(all.count + 1, sizeof *out);
		if (out == NULL) {
			return NULL;
		}
		for (NSDictionary *k in all) {
			struct cn_symbolic *to = &out[(*n)++];
			to->code = [k[(__bridge NSString *)kHISymbolicHotKeyCode] unsignedIntValue];
			to->mods = [k[(__bridge NSString *)kHISymbolicHotKeyModifiers] unsignedIntValue];
			to->on = [k[(__bridge NSString *)kHISymbolicHotKeyEnabled] boolValue];
		}
		return out;
	}
}
