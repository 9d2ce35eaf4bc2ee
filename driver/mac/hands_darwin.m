#import "cn_private.h"
#import <Carbon/Carbon.h>
#include <stdatomic.h>

static _Atomic int64_t own_mark;

void cn_mark(int64_t mark) { own_mark = mark; }

// One source for all that we post: private, so that what we hold doesn't mix with what the person holds, and
// without the pause that deafens the person's own keyboard and mouse after each event.
static CGEventSourceRef source(void) {
	static CGEventSourceRef s;
	static dispatch_once_t once;
	dispatch_once(&once, ^{
		s = CGEventSourceCreate(kCGEventSourceStatePrivate);
		if (s == NULL) {
			return;
		}
		CGEventFilterMask all = kCGEventFilterMaskPermitLocalMouseEvents | kCGEventFilterMaskPermitLocalKeyboardEvents |
			kCGEventFilterMaskPermitSystemDefinedEvents;
		CGEventSourceSetLocalEventsSuppressionInterval(s, 0);
		CGEventSourceSetLocalEventsFilterDuringSuppressionState(s, all, kCGEventSuppressionStateSuppressionInterval);
		CGEventSourceSetLocalEventsFilterDuringSuppressionState(s, all, kCGEventSuppressionStateRemoteMouseDrag);
	});
	return s;
}

static int32_t post(CGEventRef e) {
	if (e == NULL) {
		return CN_FAILED;
	}
	CGEventSetIntegerValueField(e, kCGEventSourceUserData, own_mark);
	CGEventPost(kCGHIDEventTap, e);
	CFRelease(e);
	return CN_OK;
}

static CGEventType type_of(int32_t kind, int32_t button) {
	static const CGEventType types[4][3] = {
		[CN_MOVE] = {kCGEventMouseMoved, kCGEventMouseMoved, kCGEventMouseMoved},
		[CN_DRAG] = {kCGEventLeftMouseDragged, kCGEventRightMouseDragged, kCGEventOtherMouseDragged},
		[CN_DOWN] = {kCGEventLeftMouseDown, kCGEventRightMouseDown, kCGEventOtherMouseDown},
		[CN_UP] = {kCGEventLeftMouseUp, kCGEventRightMouseUp, kCGEventOtherMouseUp},
	};
	return types[kind & 3][button < 0 || button > 2 ? 2 : button];
}

int32_t cn_mouse(int32_t kind, struct cn_point at, int32_t button, int32_t count, uint64_t flags) {
	struct cn_point was = cn_pointer();
	CGEventRef e = CGEventCreateMouseEvent(source(), type_of(kind, button), CGPointMake(at.x, at.y), (CGMouseButton)button);
	if (e == NULL) {
		return CN_FAILED;
	}
	CGEventSetFlags(e, (CGEventFlags)flags);
	if (kind == CN_MOVE || kind == CN_DRAG) { // some apps go by how far it moved
		CGEventSetIntegerValueField(e, kCGMouseEventDeltaX, (int64_t)(at.x - was.x));
		CGEventSetIntegerValueField(e, kCGMouseEventDeltaY, (int64_t)(at.y - was.y));
	} else {
		CGEventSetIntegerValueField(e, kCGMouseEventClickState, count);
	}
	return post(e);
}

int32_t cn_scroll(int32_t right, int32_t down, uint64_t flags) {
	CGEventRef e = CGEventCreateScrollWheelEvent2(source(), kCGScrollEventUnitLine, 2, -down, -right, 0);
	if (e == NULL) {
		return CN_FAILED;
	}
	CGEventSetFlags(e, (CGEventFlags)flags);
	return post(e);
}

int32_t cn_key(uint16_t code, int32_t down, uint64_t flags) {
	CGEventRef e = CGEventCreateKeyboardEvent(source(), code, down != 0);
	if (e == NULL) {
		return CN_FAILED;
	}
	// What kind of key it is (keypad, arrow) is kept; what is held is what we hold.
	CGEventFlags kind = CGEventGetFlags(e) & (kCGEventFlagMaskNumericPad | kCGEventFlagMaskSecondaryFn | kCGEventFlagMaskHelp);
	CGEventSetFlags(e, kind | (CGEventFlags)flags);
	return post(e);
}

int32_t cn_type(const uint16_t *units, int32_t n, int32_t down, uint64_t flags) {
	if (n < 1 || n > 20) {
		return CN_FAILED; // macOS drops the rest without a word
	}
	CGEventRef e = CGEventCreateKeyboardEvent(source(), 0, down != 0);
	if (e == NULL) {
		return CN_FAILED;
	}
	CGEventSetFlags(e, (CGEventFlags)flags);
	CGEventKeyboardSetUnicodeString(e, (UniCharCount)n, units);
	return post(e);
}

void cn_held(uint64_t *flags, uint32_t *buttons) {
	*flags = CGEventSourceFlagsState(kCGEventSourceStateHIDSystemState);
	*buttons = 0;
	for (uint32_t b = 0; b < 3; b++) {
		if (CGEventSourceButtonState(kCGEventSourceStateHIDSystemState, (CGMouseButton)b)) {
			*buttons |= 1u << b;
		}
	}
}

double cn_double_click(void) { return NSEvent.doubleClickInterval; }

static const uint32_t columns[CN_COLUMNS] = {
	[CN_PLAIN] = 0,
	[CN_SHIFT] = shiftKey >> 8,
	[CN_OPTION] = optionKey >> 8,
	[CN_SHIFT_OPTION] = (shiftKey | optionKey) >> 8,
	[CN_COMMAND] = cmdKey >> 8,
	[CN_SHIFT_COMMAND] = (cmdKey | shiftKey) >> 8,
};

// The layout's table, or nil. Text Input Sources may be asked on the main thread only.
static NSArray *layout_data(int32_t ascii) {
	return cn_on_main(1, ^id {
		TISInputSourceRef s = ascii ? TISCopyCurrentASCIICapableKeyboardLayoutInputSource() : TISCopyCurrentKeyboardLayoutInputSource();
		if (s == NULL) {
			return nil;
		}
		NSData *data = (__bridge NSData *)TISGetInputSourceProperty(s, kTISPropertyUnicodeKeyLayoutData);
		NSString *id = (__bridge NSString *)TISGetInputSourceProperty(s, kTISPropertyInputSourceID);
		NSArray *out = data == nil ? nil : @[ [data copy], [id copy] ?: @"", @(LMGetKbdType()) ];
		CFRelease(s);
		return out;
	});
}

int32_t cn_read_layout(int32_t ascii, struct cn_layout *out) {
	memset(out, 0, sizeof *out);
	@autoreleasepool {
		NSArray *got = layout_data(ascii);
		if (got == nil) {
			return CN_LATE;
		}
		const UCKeyboardLayout *layout = [got[0] bytes];
		cn_put(out->id, sizeof out->id, got[1]);
		for (int column = 0; column < CN_COLUMNS; column++) {
			for (uint16_t code = 0; code < 128; code++) {
				UInt32 dead = 0;
				UniChar units[4];
				UniCharCount n = 0;
				OSStatus s = UCKeyTranslate(layout, code, kUCKeyActionDown, columns[column], [got[2] unsignedIntValue], 0,
					&dead, 4, &n, units);
				if (s == noErr && dead == 0 && n == 1) {
					out->unit[column * 128 + code] = units[0];
				}
			}
		}
	}
	return CN_OK;
}
