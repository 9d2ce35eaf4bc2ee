#import "cn_private.h"
#import <ApplicationServices/ApplicationServices.h>
#import <Carbon/Carbon.h>
#import <LocalAuthentication/LocalAuthentication.h>
#import <ScreenCaptureKit/ScreenCaptureKit.h>
#import <Security/Security.h>
#import <ServiceManagement/ServiceManagement.h>
#include <libproc.h>
#include <stdlib.h>

void cn_session_now(struct cn_session *out) {
	memset(out, 0, sizeof *out);
	@autoreleasepool {
		NSDictionary *s = CFBridgingRelease(CGSessionCopyCurrentDictionary());
		if (s != nil) {
			out->known = 1;
			out->on_console = [s[@"kCGSSessionOnConsoleKey"] boolValue];
			out->locked = [s[@"CGSSessionScreenIsLocked"] boolValue];
			out->secure_pid = [s[@"kCGSSessionSecureInputPID"] intValue];
		}
		out->secure = IsSecureEventInputEnabled();
		if (out->secure && out->secure_pid > 0) {
			NSRunningApplication *a = [NSRunningApplication runningApplicationWithProcessIdentifier:out->secure_pid];
			cn_put(out->secure_name, sizeof out->secure_name, a.localizedName);
		}
	}
}

int32_t cn_may_see(void) { return CGPreflightScreenCaptureAccess(); }
int32_t cn_may_click(void) { return AXIsProcessTrusted() != 0; }

void cn_ask_see(void) {
	@autoreleasepool {
		CGRequestScreenCaptureAccess();
		// The request alone may not put us on the list of System Settings; a question to ScreenCaptureKit does.
		[SCShareableContent getShareableContentWithCompletionHandler:^(SCShareableContent *content, NSError *error) {}];
	}
}

void cn_ask_click(void) {
	@autoreleasepool {
		NSDictionary *ask = @{(__bridge NSString *)kAXTrustedCheckOptionPrompt : @YES};
		AXIsProcessTrustedWithOptions((__bridge CFDictionaryRef)ask);
	}
}

struct cn_program *cn_ancestors(int32_t *n) {
	enum { most = 16 };
	*n = 0;
	struct cn_program *out = calloc(most, sizeof *out);
	if (out == NULL) {
		return NULL;
	}
	@autoreleasepool {
		for (pid_t pid = getpid(); pid > 1 && *n < most;) {
			struct cn_program *p = &out[(*n)++];
			p->pid = pid;
			cn_put_exe(p->exe, sizeof p->exe, pid);
			NSRunningApplication *a = [NSRunningApplication runningApplicationWithProcessIdentifier:pid];
			cn_put(p->bundle, sizeof p->bundle, a.bundleIdentifier);
			cn_put(p->name, sizeof p->name, a.localizedName);
			struct proc_bsdinfo info;
			if (proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info, sizeof info) != (int)sizeof info) {
				break;
			}
			pid = (pid_t)info.pbi_ppid;
		}
	}
	return out;
}

void cn_own_signature(struct cn_signature *out) {
	memset(out, 0, sizeof *out);
	@autoreleasepool {
		cn_put(out->bundle_path, sizeof out->bundle_path, NSBundle.mainBundle.bundlePath);
		SecCodeRef self = NULL;
		SecStaticCodeRef code = NULL;
		CFDictionaryRef info = NULL;
		if (SecCodeCopySelf(kSecCSDefaultFlags, &self) == errSecSuccess &&
			SecCodeCopyStaticCode(self, kSecCSDefaultFlags, &code) == errSecSuccess &&
			SecCodeCopySigningInformation(code, kSecCSSigningInformation, &info) == errSecSuccess) {
			NSDictionary *d = CFBridgingRelease(info);
			NSString *identifier = d[(__bridge NSString *)kSecCodeInfoIdentifier]; // absent: not signed
			out->signed_ = identifier != nil;
			out->adhoc = ([d[(__bridge NSString *)kSecCodeInfoFlags] unsignedIntValue] & kSecCodeSignatureAdhoc) != 0;
			cn_put(out->identifier, sizeof out->identifier, identifier);
			cn_put(out->team, sizeof out->team, d[(__bridge NSString *)kSecCodeInfoTeamIdentifier]);
			out->valid = SecCodeCheckValidity(self, kSecCSDefaultFlags, NULL) == errSecSuccess;
		}
		if (code != NULL) {
			CFRelease(code);
		}
		if (self != NULL) {
			CFRelease(self);
		}
	}
}

// The questions that stand, by ticket, so that they can be taken back.
static NSMutableDictionary<NSNumber *, LAContext *> *questions(void) {
	static NSMutableDictionary *all;
	static dispatch_once_t once;
	dispatch_once(&once, ^{ all = [NSMutableDictionary dictionary]; });
	return all;
}

static int32_t confirm_code(BOOL ok, NSError *e) {
	if (ok) {
		return CN_OK;
	}
	if ([e.domain isEqualToString:LAErrorDomain]) {
		switch (e.code) {
		case LAErrorUserCancel:
		case LAErrorSystemCancel:
		case LAErrorAppCancel:
			return CN_CANCELLED;
		case LAErrorAuthenticationFailed:
			return CN_DENIED;
		}
	}
	return CN_FAILED;
}

void cn_confirm(uint64_t ticket, const char *reason) {
	@autoreleasepool {
		LAContext *c = [[LAContext alloc] init];
		NSError *no = nil;
		if (![c canEvaluatePolicy:LAPolicyDeviceOwnerAuthentication error:&no]) {
			cn_answer(ticket, CN_FAILED, (char *)(no.localizedDescription ?: @"macOS gave no reason").UTF8String);
			return;
		}
		@synchronized(questions()) {
			questions()[@(ticket)] = c;
		}
		[c evaluatePolicy:LAPolicyDeviceOwnerAuthentication localizedReason:@(reason) reply:^(BOOL ok, NSError *e) {
			@synchronized(questions()) {
				[questions() removeObjectForKey:@(ticket)];
			}
			cn_answer(ticket, confirm_code(ok, e), (char *)(e.localizedDescription ?: @"").UTF8String);
		}];
	}
}

void cn_confirm_cancel(uint64_t ticket) {
	@autoreleasepool {
		LAContext *c;
		@synchronized(questions()) {
			c = questions()[@(ticket)];
		}
		[c invalidate];
	}
}

int32_t cn_login_status(void) {
	@autoreleasepool {
		return (int32_t)SMAppService.mainAppService.status;
	}
}

int32_t cn_login_set(int32_t on, char *say, int32_t size) {
	@autoreleasepool {
		NSError *e = nil;
		SMAppService *s = SMAppService.mainAppService;
		BOOL ok = on ? [s registerAndReturnError:&e] : [s unregisterAndReturnError:&e];
		if (!ok) {
			cn_put(say, (size_t)size, e.localizedDescription ?: @"macOS gave no reason");
			return CN_FAILED;
		}
		return CN_OK;
	}
}
