#import "cn_private.h"
#import <CoreMedia/CoreMedia.h>
#import <ScreenCaptureKit/ScreenCaptureKit.h>
#include <stdlib.h>

static int32_t code_of(NSError *error) {
	if ([error.domain isEqualToString:SCStreamErrorDomain] && error.code == SCStreamErrorUserDeclined) {
		return CN_DENIED;
	}
	return CN_FAILED;
}

static char *words(NSError *error) {
	return (char *)(error.localizedDescription ?: @"macOS gave no reason").UTF8String;
}

static void no_pixels(uint64_t ticket, int32_t code, char *say) { cn_pixels(ticket, code, NULL, 0, 0, 0, 0, say); }

// Hands out the picture as opaque BGRA in sRGB, drawn into memory of its own.
static void deliver(uint64_t ticket, CGImageRef image, int32_t missing) {
	size_t w = CGImageGetWidth(image), h = CGImageGetHeight(image), stride = 4 * w;
	void *pixels = calloc(h, stride);
	CGColorSpaceRef space = CGColorSpaceCreateWithName(kCGColorSpaceSRGB);
	CGContextRef c = NULL;
	if (pixels != NULL && space != NULL) {
		c = CGBitmapContextCreate(pixels, w, h, 8, stride, space,
			(uint32_t)kCGImageAlphaNoneSkipFirst | (uint32_t)kCGBitmapByteOrder32Little);
	}
	CGColorSpaceRelease(space);
	if (c == NULL) {
		free(pixels);
		no_pixels(ticket, CN_FAILED, "there is no memory for a picture");
		return;
	}
	CGContextSetBlendMode(c, kCGBlendModeCopy);
	CGContextDrawImage(c, CGRectMake(0, 0, (CGFloat)w, (CGFloat)h), image);
	CGContextRelease(c);
	cn_pixels(ticket, CN_OK, pixels, (int64_t)stride, (int32_t)w, (int32_t)h, missing, "");
}

// What is left out of one picture, looked up in what macOS lists now.
static SCContentFilter *filter_for(SCShareableContent *content, CGDirectDisplayID display, NSSet *pids, NSSet *windows, int32_t *missing) {
	SCDisplay *on = nil;
	for (SCDisplay *d in content.displays) {
		if (d.displayID == display) {
			on = d;
		}
	}
	if (on == nil) {
		return nil;
	}
	NSMutableArray *apps = [NSMutableArray array], *single = [NSMutableArray array];
	NSMutableSet *found = [NSMutableSet set];
	for (SCRunningApplication *a in content.applications) {
		if ([pids containsObject:@(a.processID)]) {
			[apps addObject:a];
			[found addObject:@(a.processID)];
		}
	}
	NSUInteger hidden = 0;
	for (SCWindow *w in content.windows) {
		NSNumber *owner = @(w.owningApplication.processID);
		BOOL named = [windows containsObject:@(w.windowID)];
		hidden += named;
		// An excepted window of an app that is left out would be shown; one whose app macOS doesn't list has to be
		// named by itself.
		if (![found containsObject:owner] && (named || [pids containsObject:owner])) {
			[single addObject:w];
		}
	}
	*missing = (int32_t)(pids.count - found.count + windows.count - MIN(hidden, windows.count));
	return [[SCContentFilter alloc] initWithDisplay:on excludingApplications:apps exceptingWindows:single];
}

void cn_capture(uint64_t ticket, uint32_t display, struct cn_rect area, int32_t w, int32_t h,
	const int32_t *pids, int32_t n_pids, const uint32_t *windows, int32_t n_windows) {
	@autoreleasepool {
		NSMutableSet *apps = [NSMutableSet set], *single = [NSMutableSet set];
		for (int32_t i = 0; i < n_pids; i++) {
			[apps addObject:@(pids[i])];
		}
		for (int32_t i = 0; i < n_windows; i++) {
			[single addObject:@(windows[i])];
		}
		SCStreamConfiguration *c = [[SCStreamConfiguration alloc] init];
		c.sourceRect = CGRectMake(area.x, area.y, area.w, area.h);
		c.width = (size_t)w;
		c.height = (size_t)h;
		c.scalesToFit = YES;
		c.showsCursor = YES;
		c.colorSpaceName = kCGColorSpaceSRGB;
		// Not only what is on the screen: an app whose first window comes in a moment would be missing.
		[SCShareableContent getShareableContentExcludingDesktopWindows:NO onScreenWindowsOnly:NO
			completionHandler:^(SCShareableContent *content, NSError *error) {
			if (content == nil) {
				no_pixels(ticket, code_of(error), words(error));
				return;
			}
			int32_t missing = 0;
			SCContentFilter *f = filter_for(content, display, apps, single, &missing);
			if (f == nil) {
				no_pixels(ticket, CN_GONE, "the display is not there any more");
				return;
			}
			[SCScreenshotManager captureImageWithFilter:f configuration:c completionHandler:^(CGImageRef image, NSError *e) {
				if (image == NULL) {
					no_pixels(ticket, code_of(e), words(e));
					return;
				}
				deliver(ticket, image, missing);
			}];
		}];
	}
}

// CNWatch tells of changes by what SCStream says of each frame. The frames are a few pixels wide, so nothing
// can be read in them, and nobody looks at them.
API_AVAILABLE(macos(12.3))
@interface CNWatch : NSObject <SCStreamOutput, SCStreamDelegate>
@property uint64_t id;
@property(atomic) BOOL ended;
@property NSMutableArray<SCStream *> *streams;
@property NSHashTable<SCStream *> *begun; // those whose first frame has come, which is no change
@property dispatch_queue_t queue;
@end

@implementation CNWatch
- (void)stream:(SCStream *)stream didOutputSampleBuffer:(CMSampleBufferRef)buffer ofType:(SCStreamOutputType)type {
	NSArray *all = (__bridge NSArray *)CMSampleBufferGetSampleAttachmentsArray(buffer, false);
	NSDictionary *about = all.firstObject;
	NSNumber *status = about[SCStreamFrameInfoStatus];
	if (self.ended || status == nil || status.integerValue != SCFrameStatusComplete) {
		return;
	}
	if (![self.begun containsObject:stream]) {
		[self.begun addObject:stream];
		return;
	}
	cn_changed(self.id, 0);
}

- (void)stream:(SCStream *)stream didStopWithError:(NSError *)error {
	if (!self.ended) {
		cn_changed(self.id, 1);
	}
}

- (void)end {
	self.ended = YES;
	NSArray *streams;
	@synchronized(self) {
		streams = [self.streams copy];
		[self.streams removeAllObjects];
	}
	for (SCStream *s in streams) {
		[self stop:s];
	}
}

- (void)stop:(SCStream *)stream {
	[stream stopCaptureWithCompletionHandler:^(NSError *e) { (void)self; }]; // until it has stopped, its output lives
}
@end

static NSMutableDictionary<NSNumber *, CNWatch *> *watches(void) {
	static NSMutableDictionary *all;
	static dispatch_once_t once;
	dispatch_once(&once, ^{ all = [NSMutableDictionary dictionary]; });
	return all;
}

static SCStreamConfiguration *blind(void) {
	SCStreamConfiguration *c = [[SCStreamConfiguration alloc] init];
	c.width = 64;
	c.height = 40;
	c.showsCursor = NO;
	c.queueDepth = 3;
	c.minimumFrameInterval = CMTimeMake(1, 20);
	return c;
}

// Starts one stream a display; the last answer is that of the watch.
static void start(CNWatch *w, uint64_t ticket, SCShareableContent *content, NSSet *displays) {
	NSMutableArray *own = [NSMutableArray array];
	for (SCRunningApplication *a in content.applications) {
		if (a.processID == getpid()) {
			[own addObject:a];
		}
	}
	dispatch_group_t all = dispatch_group_create();
	__block NSError *failed = nil;
	for (SCDisplay *d in content.displays) {
		if (![displays containsObject:@(d.displayID)]) {
			continue;
		}
		SCContentFilter *f = [[SCContentFilter alloc] initWithDisplay:d excludingApplications:own exceptingWindows:@[]];
		SCStream *s = [[SCStream alloc] initWithFilter:f configuration:blind() delegate:w];
		NSError *e = nil;
		if (![s addStreamOutput:w type:SCStreamOutputTypeScreen sampleHandlerQueue:w.queue error:&e]) {
			@synchronized(w) { // the start of an earlier one may fail at this moment
				failed = e;
			}
			continue;
		}
		@synchronized(w) {
			[w.streams addObject:s];
		}
		dispatch_group_enter(all);
		[s startCaptureWithCompletionHandler:^(NSError *e) {
			if (e != nil) {
				@synchronized(w) {
					failed = e;
				}
			} else if (w.ended) { // a stop that came before the start had an effect stopped nothing
				[w stop:s];
			}
			dispatch_group_leave(all);
		}];
	}
	BOOL none;
	@synchronized(w) {
		none = w.streams.count == 0 && failed == nil && !w.ended;
	}
	if (none) {
		cn_answer(ticket, CN_FAILED, "macOS lists no display to follow");
		return;
	}
	dispatch_group_notify(all, w.queue, ^{
		if (w.ended) {
			[w end]; // it was ended while it started
			cn_answer(ticket, CN_CANCELLED, "");
		} else if (failed != nil) {
			cn_answer(ticket, code_of(failed), words(failed));
		} else {
			cn_answer(ticket, own.count == 0 ? CN_GONE : CN_OK, "");
		}
	});
}

void cn_watch(uint64_t ticket, uint64_t watch, const uint32_t *displays, int32_t n) {
	@autoreleasepool {
		CNWatch *w = [[CNWatch alloc] init];
		w.id = watch;
		w.streams = [NSMutableArray array];
		w.begun = [NSHashTable weakObjectsHashTable];
		w.queue = dispatch_queue_create("conch.watch", DISPATCH_QUEUE_SERIAL);
		NSMutableSet *on = [NSMutableSet set];
		for (int32_t i = 0; i < n; i++) {
			[on addObject:@(displays[i])];
		}
		@synchronized(watches()) {
			watches()[@(watch)] = w;
		}
		[SCShareableContent getShareableContentExcludingDesktopWindows:NO onScreenWindowsOnly:NO
			completionHandler:^(SCShareableContent *content, NSError *error) {
			if (content == nil) {
				cn_answer(ticket, code_of(error), words(error));
				return;
			}
			if (w.ended) { // whoever asked has gone, so nothing is begun
				cn_answer(ticket, CN_CANCELLED, "");
				return;
			}
			start(w, ticket, content, on);
		}];
	}
}

void cn_unwatch(uint64_t watch) {
	@autoreleasepool {
		CNWatch *w;
		@synchronized(watches()) {
			w = watches()[@(watch)];
			[watches() removeObjectForKey:@(watch)];
		}
		[w end];
	}
}
