#import "cn_private.h"
#include <stdlib.h>

static void fill_bundle(struct cn_app *out, NSURL *url) {
	NSBundle *b = url == nil ? nil : [NSBundle bundleWithURL:url];
	if (b == nil) {
		return;
	}
	NSDictionary *plain = b.infoDictionary;
	NSString *name = [NSFileManager.defaultManager displayNameAtPath:url.path];
	cn_put(out->bundle, sizeof out->bundle, b.bundleIdentifier);
	cn_put(out->name, sizeof out->name, [name.pathExtension isEqualToString:@"app"] ? name.stringByDeletingPathExtension : name);
	cn_put(out->english, sizeof out->english, plain[@"CFBundleDisplayName"] ?: plain[@"CFBundleName"]);
	cn_put(out->exe, sizeof out->exe, b.executablePath);
	cn_put(out->path, sizeof out->path, url.path);
}

struct cn_app *cn_running(int32_t *n) {
	*n = -1;
	@autoreleasepool {
		NSArray<NSRunningApplication *> *all = cn_on_main(1, ^id { return NSWorkspace.sharedWorkspace.runningApplications; });
		if (all == nil) {
			return NULL;
		}
		struct cn_app *out = calloc(all.count + 1, sizeof *out);
		if (out == NULL) {
			return NULL;
		}
		*n = 0;
		for (NSRunningApplication *a in all) {
			struct cn_app *to = &out[(*n)++];
			fill_bundle(to, a.bundleURL);
			to->pid = a.processIdentifier;
			to->regular = a.activationPolicy == NSApplicationActivationPolicyRegular;
			cn_put(to->bundle, sizeof to->bundle, a.bundleIdentifier);
			cn_put(to->name, sizeof to->name, a.localizedName);
			if (a.executableURL != nil) {
				cn_put(to->exe, sizeof to->exe, a.executableURL.path);
			}
		}
		return out;
	}
}

int32_t cn_bundle(const char *path, struct cn_app *out) {
	memset(out, 0, sizeof *out);
	@autoreleasepool {
		fill_bundle(out, [NSURL fileURLWithPath:@(path) isDirectory:YES]);
	}
	return out->bundle[0] != 0 ? CN_OK : CN_GONE;
}

void cn_open_app(uint64_t ticket, const char *bundle) {
	@autoreleasepool {
		NSURL *url = [NSWorkspace.sharedWorkspace URLForApplicationWithBundleIdentifier:@(bundle)];
		if (url == nil) {
			cn_answer(ticket, CN_GONE, "");
			return;
		}
		NSWorkspaceOpenConfiguration *how = [NSWorkspaceOpenConfiguration configuration];
		how.activates = YES;
		how.promptsUserIfNeeded = YES;
		[NSWorkspace.sharedWorkspace openApplicationAtURL:url configuration:how
			completionHandler:^(NSRunningApplication *app, NSError *error) {
			if (app == nil) {
				cn_answer(ticket, CN_FAILED, (char *)(error.localizedDescription ?: @"macOS gave no reason").UTF8String);
				return;
			}
			cn_answer(ticket, CN_OK, "");
		}];
	}
}

int32_t cn_open_url(const char *url) {
	@autoreleasepool {
		NSURL *u = [NSURL URLWithString:@(url)];
		if (u == nil) {
			return CN_FAILED;
		}
		NSNumber *done = cn_on_main(2, ^id { return @([NSWorkspace.sharedWorkspace openURL:u]); });
		return done == nil ? CN_LATE : done.boolValue ? CN_OK : CN_FAILED;
	}
}
