#import "cn_private.h"
#include <libproc.h>
#include <stdlib.h>

void cn_free(void *p) { free(p); }

id cn_on_main(double seconds, id (^work)(void)) {
	if ([NSThread isMainThread]) {
		return work();
	}
	__block id got = nil; // lives in the block, which may run after we have gone
	dispatch_semaphore_t done = dispatch_semaphore_create(0);
	dispatch_async(dispatch_get_main_queue(), ^{
		@autoreleasepool {
			got = work();
		}
		dispatch_semaphore_signal(done);
	});
	if (dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, (int64_t)(seconds * NSEC_PER_SEC))) != 0) {
		return nil;
	}
	return got;
}

void cn_put(char *to, size_t size, NSString *s) {
	NSUInteger used = 0;
	to[0] = 0;
	if (s == nil || size < 2) {
		return;
	}
	[s getBytes:to maxLength:size - 1 usedLength:&used encoding:NSUTF8StringEncoding
		options:NSStringEncodingConversionAllowLossy range:NSMakeRange(0, s.length) remainingRange:NULL];
	to[used] = 0;
}

struct cn_rect cn_rect_of(CGRect r) {
	struct cn_rect out = {r.origin.x, r.origin.y, r.size.width, r.size.height};
	return out;
}

void cn_put_exe(char *to, size_t size, int32_t pid) {
	char path[PROC_PIDPATHINFO_MAXSIZE];
	int n = proc_pidpath(pid, path, sizeof path);
	to[0] = 0;
	if (n > 0 && (size_t)n < size) {
		memcpy(to, path, (size_t)n);
		to[n] = 0;
	}
}

static double scale_of(CGDirectDisplayID id) {
	CGDisplayModeRef mode = CGDisplayCopyDisplayMode(id);
	if (mode == NULL) {
		return 1;
	}
	size_t points = CGDisplayModeGetWidth(mode), pixels = CGDisplayModeGetPixelWidth(mode);
	CGDisplayModeRelease(mode);
	return points > 0 && pixels > 0 ? (double)pixels / (double)points : 1;
}

// Name and visible frame of each screen, by display: AppKit knows them, and only on the main thread.
static NSDictionary *screens(void) {
	return cn_on_main(0.25, ^id {
		NSMutableDictionary *all = [NSMutableDictionary dictionary];
		for (NSScreen *s in NSScreen.screens) {
			NSNumber *id = s.deviceDescription[@"NSScreenNumber"];
			if (id != nil) {
				all[id] = @[ s.localizedName ?: @"", [NSValue valueWithRect:s.visibleFrame] ];
			}
		}
		return all;
	});
}

struct cn_display *cn_displays(int32_t *n) {
	enum { most = 32 };
	CGDirectDisplayID ids[most];
	uint32_t found = 0;
	*n = 0;
	if (CGGetActiveDisplayList(most, ids, &found) != kCGErrorSuccess || found == 0) {
		return NULL;
	}
	struct cn_display *out = calloc(found, sizeof *out);
	if (out == NULL) {
		return NULL;
	}
	@autoreleasepool {
		NSDictionary *known = screens();
		for (uint32_t i = 0; i < found; i++) {
			struct cn_display *d = &out[i];
			d->id = ids[i];
			d->main = CGDisplayIsMain(ids[i]) != 0;
			d->asleep = CGDisplayIsAsleep(ids[i]) != 0;
			d->scale = scale_of(ids[i]);
			d->bounds = cn_rect_of(CGDisplayBounds(ids[i]));
			NSArray *more = known[@(ids[i])];
			if (more != nil) {
				d->known = 1;
				cn_put(d->name, sizeof d->name, more[0]);
				d->visible = cn_rect_of([more[1] rectValue]);
			}
		}
	}
	*n = (int32_t)found;
	return out;
}

static void fill(struct cn_window *w, NSDictionary *info, NSMutableDictionary *bundles) {
	w->id = [info[(__bridge id)kCGWindowNumber] unsignedIntValue];
	w->pid = [info[(__bridge id)kCGWindowOwnerPID] intValue];
	w->layer = [info[(__bridge id)kCGWindowLayer] intValue];
	w->alpha = [info[(__bridge id)kCGWindowAlpha] doubleValue];
	CGRect r = CGRectZero;
	NSDictionary *bounds = info[(__bridge id)kCGWindowBounds];
	if (bounds != nil && CGRectMakeWithDictionaryRepresentation((__bridge CFDictionaryRef)bounds, &r)) {
		w->bounds = cn_rect_of(r);
	}
	cn_put(w->title, sizeof w->title, info[(__bridge id)kCGWindowName]); // there with Screen Recording only
	cn_put(w->owner, sizeof w->owner, info[(__bridge id)kCGWindowOwnerName]);
	NSNumber *pid = @(w->pid);
	NSString *bundle = bundles[pid];
	if (bundle == nil) {
		bundle = [NSRunningApplication runningApplicationWithProcessIdentifier:w->pid].bundleIdentifier ?: @"";
		bundles[pid] = bundle;
	}
	cn_put(w->bundle, sizeof w->bundle, bundle);
	cn_put_exe(w->exe, sizeof w->exe, w->pid);
}

struct cn_window *cn_windows(int32_t *n) {
	*n = 0;
	@autoreleasepool {
		NSArray *list = CFBridgingRelease(CGWindowListCopyWindowInfo(kCGWindowListOptionOnScreenOnly, kCGNullWindowID));
		if (list.count == 0) {
			return NULL;
		}
		struct cn_window *out = calloc(list.count, sizeof *out);
		if (out == NULL) {
			return NULL;
		}
		NSMutableDictionary *bundles = [NSMutableDictionary dictionary];
		for (NSDictionary *info in list) {
			fill(&out[(*n)++], info, bundles);
		}
		return out;
	}
}

struct cn_point cn_pointer(void) {
	struct cn_point out = {0, 0};
	CGEventRef e = CGEventCreate(NULL);
	if (e != NULL) {
		CGPoint p = CGEventGetLocation(e);
		out.x = p.x;
		out.y = p.y;
		CFRelease(e);
	}
	return out;
}
