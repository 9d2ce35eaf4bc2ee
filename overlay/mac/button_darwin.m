#import <AppKit/AppKit.h>

#include "button_darwin.h"
#include "events_darwin.h"
#include "stopkeys_darwin.h"

@interface CNButton : NSButton
@end

@implementation CNButton

// Without this the first click on a panel that isn't key would only be swallowed.
- (BOOL)acceptsFirstMouse:(NSEvent *)event {
	return YES;
}

- (BOOL)shouldDelayWindowOrderingForEvent:(NSEvent *)event {
	return NO;
}

// The press counts, not the release: a person who reaches for Stop is in a hurry. NSButton's own tracking loop is
// never entered, so the main thread goes on while the button is held.
- (void)mouseDown:(NSEvent *)event {
	if (!cn_is_own(event.CGEvent)) cn_tell(CN_BUTTON, 0, 0, 0);
}

- (void)mouseUp:(NSEvent *)event {
}

- (void)mouseDragged:(NSEvent *)event {
}

// VoiceOver and Switch Control press in this way.
- (BOOL)accessibilityPerformPress {
	cn_tell(CN_BUTTON, 0, 0, 0);
	return YES;
}

- (void)resetCursorRects {
	[self addCursorRect:self.bounds cursor:NSCursor.pointingHandCursor];
}

// What it shows lies below it.
- (void)drawRect:(NSRect)dirty {
}

@end

void *cn_button_new(double width, double height) {
	CNButton *b = [[CNButton alloc] initWithFrame:NSMakeRect(0, 0, width, height)];
	b.title = @"Stop";
	b.bordered = NO;
	b.accessibilityLabel = @"Stop";
	return (__bridge_retained void *)b;
}

int cn_panels_shown(const uint32_t *numbers, int n) {
	CFArrayRef all = CGWindowListCopyWindowInfo(kCGWindowListOptionOnScreenOnly, kCGNullWindowID);
	if (!all) return 0;
	int shown = 0;
	for (CFIndex i = 0; i < CFArrayGetCount(all); i++) {
		CFDictionaryRef w = CFArrayGetValueAtIndex(all, i);
		CFNumberRef number = CFDictionaryGetValue(w, kCGWindowNumber);
		int64_t v = 0;
		if (!number || !CFNumberGetValue(number, kCFNumberSInt64Type, &v)) continue;
		for (int k = 0; k < n; k++) {
			if (v == numbers[k]) shown++;
		}
	}
	CFRelease(all);
	return shown;
}

static id cn_screens, cn_motion; // of the main thread

void cn_observe(void) {
	cn_unobserve();
	cn_screens = [NSNotificationCenter.defaultCenter
		addObserverForName:NSApplicationDidChangeScreenParametersNotification
					object:nil
					 queue:nil
				usingBlock:^(NSNotification *n) {
					cn_tell(CN_SCREENS, 0, 0, 0);
				}];
	cn_motion = [NSWorkspace.sharedWorkspace.notificationCenter
		addObserverForName:NSWorkspaceAccessibilityDisplayOptionsDidChangeNotification
					object:nil
					 queue:nil
				usingBlock:^(NSNotification *n) {
					cn_tell(CN_MOTION, 0, 0, 0);
				}];
}

void cn_unobserve(void) {
	if (cn_screens) [NSNotificationCenter.defaultCenter removeObserver:cn_screens];
	if (cn_motion) [NSWorkspace.sharedWorkspace.notificationCenter removeObserver:cn_motion];
	cn_screens = cn_motion = nil;
}
