#import "cn_private.h"
#import <ApplicationServices/ApplicationServices.h>

// An app that doesn't answer holds a question up for this long at the most (askPatience in Go).
static const float patience = 0.1f;

static AXUIElementRef whole(void) {
	static AXUIElementRef all;
	static dispatch_once_t once;
	dispatch_once(&once, ^{
		all = AXUIElementCreateSystemWide();
		AXUIElementSetMessagingTimeout(all, patience); // on this one: for every element of this process
	});
	return all;
}

static int32_t code_of(AXError e) {
	switch (e) {
	case kAXErrorSuccess:
		return CN_OK;
	case kAXErrorAPIDisabled:
		return CN_DENIED;
	case kAXErrorCannotComplete:
		return CN_BUSY;
	case kAXErrorNoValue:
	case kAXErrorAttributeUnsupported:
	case kAXErrorInvalidUIElement:
	case kAXErrorNotImplemented:
		return CN_GONE;
	default:
		return CN_FAILED;
	}
}

static AXUIElementRef app_of(int32_t pid) {
	(void)whole();
	AXUIElementRef app = AXUIElementCreateApplication(pid);
	AXUIElementSetMessagingTimeout(app, patience);
	return app;
}

static uint64_t hand_out(CFTypeRef e) { return (uint64_t)(uintptr_t)e; } // with the reference that it holds

static AXUIElementRef taken(uint64_t control) { return (AXUIElementRef)(uintptr_t)control; }

void cn_let_go(const uint64_t *controls, int32_t n) {
	for (int32_t i = 0; i < n; i++) {
		if (controls[i] != 0) {
			CFRelease(taken(controls[i]));
		}
	}
}

int32_t cn_control_at(int32_t pid, struct cn_point at, uint64_t *out) {
	*out = 0;
	AXUIElementRef app = app_of(pid), found = NULL;
	AXError e = AXUIElementCopyElementAtPosition(app, (float)at.x, (float)at.y, &found);
	CFRelease(app);
	if (e == kAXErrorSuccess && found != NULL) {
		*out = hand_out(found);
		return CN_OK;
	}
	return e == kAXErrorSuccess ? CN_GONE : code_of(e);
}

// An element among an element's attributes, with a reference, or NULL.
static AXUIElementRef element(AXUIElementRef of, CFStringRef name, AXError *e) {
	CFTypeRef v = NULL;
	*e = AXUIElementCopyAttributeValue(of, name, &v);
	if (*e != kAXErrorSuccess || v == NULL) {
		return NULL;
	}
	if (CFGetTypeID(v) != AXUIElementGetTypeID()) {
		CFRelease(v);
		*e = kAXErrorNoValue;
		return NULL;
	}
	return (AXUIElementRef)v;
}

int32_t cn_front_window(int32_t pid, uint64_t *out) {
	*out = 0;
	AXUIElementRef app = app_of(pid);
	AXError e;
	AXUIElementRef w = element(app, kAXFocusedWindowAttribute, &e);
	if (w == NULL && e != kAXErrorAPIDisabled && e != kAXErrorCannotComplete) {
		w = element(app, kAXMainWindowAttribute, &e);
	}
	CFRelease(app);
	if (w == NULL) {
		return code_of(e == kAXErrorSuccess ? kAXErrorNoValue : e);
	}
	*out = hand_out(w);
	return CN_OK;
}

// Hands out the element that is an attribute of another one.
static int32_t hand_attribute(AXUIElementRef of, CFStringRef name, uint64_t *out) {
	*out = 0;
	AXError e;
	AXUIElementRef found = element(of, name, &e);
	if (found == NULL) {
		return code_of(e == kAXErrorSuccess ? kAXErrorNoValue : e);
	}
	*out = hand_out(found);
	return CN_OK;
}

int32_t cn_whole_app(int32_t pid, uint64_t *out) {
	*out = hand_out(app_of(pid));
	return CN_OK;
}

int32_t cn_focused_control(int32_t pid, uint64_t *out) {
	AXUIElementRef app = app_of(pid);
	int32_t code = hand_attribute(app, kAXFocusedUIElementAttribute, out);
	CFRelease(app);
	return code;
}

int32_t cn_default_button(uint64_t window, uint64_t *out) {
	return hand_attribute(taken(window), kAXDefaultButtonAttribute, out);
}

int32_t cn_window_of(uint64_t control, uint64_t *out) {
	return hand_attribute(taken(control), kAXWindowAttribute, out);
}

static NSString *string(id v) { return [v isKindOfClass:NSString.class] ? v : nil; }

static NSString *attribute(AXUIElementRef e, CFStringRef name) {
	CFTypeRef v = NULL;
	if (AXUIElementCopyAttributeValue(e, name, &v) != kAXErrorSuccess || v == NULL) {
		return nil;
	}
	return string(CFBridgingRelease(v));
}

static struct cn_rect place(id position, id size) {
	CGPoint p;
	CGSize s;
	struct cn_rect none = {0, 0, 0, 0};
	CFTypeRef pv = (__bridge CFTypeRef)position, sv = (__bridge CFTypeRef)size;
	if (pv == NULL || sv == NULL || CFGetTypeID(pv) != AXValueGetTypeID() || CFGetTypeID(sv) != AXValueGetTypeID()) {
		return none;
	}
	if (!AXValueGetValue((AXValueRef)pv, kAXValueTypeCGPoint, &p) || !AXValueGetValue((AXValueRef)sv, kAXValueTypeCGSize, &s)) {
		return none;
	}
	struct cn_rect r = {p.x, p.y, s.width, s.height};
	return r;
}

// Roles whose value is words that anybody reads, never something that was typed in.
static BOOL fixed_text(NSString *role) { return [role isEqualToString:(__bridge NSString *)kAXStaticTextRole] || [role isEqualToString:@"AXHeading"]; }

int32_t cn_describe(uint64_t control, struct cn_control *out) {
	memset(out, 0, sizeof *out);
	AXUIElementRef e = taken(control);
	pid_t pid = 0;
	if (AXUIElementGetPid(e, &pid) == kAXErrorSuccess) {
		out->pid = pid;
	}
	@autoreleasepool {
		NSArray *names = @[
			(__bridge NSString *)kAXRoleAttribute, (__bridge NSString *)kAXSubroleAttribute, (__bridge NSString *)kAXTitleAttribute,
			(__bridge NSString *)kAXDescriptionAttribute, (__bridge NSString *)kAXPositionAttribute, (__bridge NSString *)kAXSizeAttribute,
			(__bridge NSString *)kAXTitleUIElementAttribute, (__bridge NSString *)kAXHiddenAttribute
		];
		CFArrayRef values = NULL;
		AXError err = AXUIElementCopyMultipleAttributeValues(e, (__bridge CFArrayRef)names, 0, &values);
		if (err != kAXErrorSuccess || values == NULL) {
			return code_of(err == kAXErrorSuccess ? kAXErrorNoValue : err);
		}
		NSArray *got = CFBridgingRelease(values);
		if (got.count != names.count) {
			return CN_GONE;
		}
		NSString *role = string(got[0]), *subrole = string(got[1]);
		cn_put(out->role, sizeof out->role, role);
		cn_put(out->subrole, sizeof out->subrole, subrole);
		cn_put(out->title, sizeof out->title, string(got[2]));
		cn_put(out->description, sizeof out->description, string(got[3]));
		out->bounds = place(got[4], got[5]);
		CFTypeRef label = (__bridge CFTypeRef)got[6];
		if (label != NULL && CFGetTypeID(label) == AXUIElementGetTypeID()) {
			AXUIElementRef l = (AXUIElementRef)label;
			NSString *role_of_label = attribute(l, kAXRoleAttribute);
			cn_put(out->label, sizeof out->label, attribute(l, kAXTitleAttribute) ?: (fixed_text(role_of_label) ? attribute(l, kAXValueAttribute) : nil));
		}
		out->hidden = [got[7] isKindOfClass:NSNumber.class] && [got[7] boolValue];
		out->secure = [subrole isEqualToString:(__bridge NSString *)kAXSecureTextFieldSubrole];
		if (!out->secure && fixed_text(role)) {
			cn_put(out->text, sizeof out->text, attribute(e, kAXValueAttribute));
		}
	}
	return CN_OK;
}

int32_t cn_children(uint64_t control, uint64_t *out, int32_t most, int32_t *n) {
	*n = 0;
	CFArrayRef kids = NULL;
	AXError e = AXUIElementCopyAttributeValues(taken(control), kAXChildrenAttribute, 0, most, &kids);
	if (e != kAXErrorSuccess || kids == NULL) {
		return e == kAXErrorSuccess || e == kAXErrorNoValue || e == kAXErrorAttributeUnsupported ? CN_OK : code_of(e);
	}
	for (CFIndex i = 0; i < CFArrayGetCount(kids) && *n < most; i++) {
		CFTypeRef kid = CFArrayGetValueAtIndex(kids, i);
		if (CFGetTypeID(kid) == AXUIElementGetTypeID()) {
			out[(*n)++] = hand_out(CFRetain(kid));
		}
	}
	CFRelease(kids);
	return CN_OK;
}

int32_t cn_focus(int32_t *pid, struct cn_rect *window) {
	*pid = 0;
	memset(window, 0, sizeof *window);
	@autoreleasepool {
		// Accessibility knows of panels that take the keys without their app being in front.
		AXError e;
		AXUIElementRef app = element(whole(), kAXFocusedApplicationAttribute, &e);
		pid_t p = 0;
		if (app != NULL) {
			AXUIElementGetPid(app, &p);
			CFRelease(app);
		}
		if (p <= 0) {
			NSNumber *front = cn_on_main(0.25, ^id { return @(NSWorkspace.sharedWorkspace.frontmostApplication.processIdentifier); });
			p = front.intValue;
		}
		if (p <= 0) {
			return CN_GONE;
		}
		*pid = p;
		if (p == getpid()) { // asking ourselves would wait for our own main thread
			return CN_OK;
		}
		uint64_t w = 0;
		if (cn_front_window(p, &w) == CN_OK) {
			CFTypeRef at = NULL, size = NULL;
			AXUIElementCopyAttributeValue(taken(w), kAXPositionAttribute, &at);
			AXUIElementCopyAttributeValue(taken(w), kAXSizeAttribute, &size);
			*window = place(CFBridgingRelease(at), CFBridgingRelease(size));
			cn_let_go(&w, 1);
		}
	}
	return CN_OK;
}
