#import "cn_private.h"
#import <UserNotifications/UserNotifications.h>

// There is one notification at a time, and one name for it: the next takes the place of the last.
static NSString *const the_one = @"question";

@interface CNNotices : NSObject <UNUserNotificationCenterDelegate>
@end

@implementation CNNotices
// Shown also while Conch is in front, which macOS leaves out by itself.
- (void)userNotificationCenter:(UNUserNotificationCenter *)center willPresentNotification:(UNNotification *)notification
	withCompletionHandler:(void (^)(UNNotificationPresentationOptions))done {
	done(UNNotificationPresentationOptionBanner | UNNotificationPresentationOptionList | UNNotificationPresentationOptionSound);
}

- (void)userNotificationCenter:(UNUserNotificationCenter *)center didReceiveNotificationResponse:(UNNotificationResponse *)response
	withCompletionHandler:(void (^)(void))done {
	if ([response.actionIdentifier isEqualToString:UNNotificationDefaultActionIdentifier]) {
		cn_notice_pressed();
	}
	done();
}
@end

// macOS ends a program that asks for its notifications without being an app in a bundle.
int32_t cn_notice_can(void) {
	@autoreleasepool {
		NSBundle *b = NSBundle.mainBundle;
		return b.bundleIdentifier != nil && [b.bundlePath.pathExtension isEqualToString:@"app"];
	}
}

// On the main thread: what is asked there comes to macOS in the order in which Go asked.
static UNUserNotificationCenter *center(void) {
	static CNNotices *hears; // macOS doesn't keep it
	UNUserNotificationCenter *c = UNUserNotificationCenter.currentNotificationCenter;
	if (hears == nil) {
		hears = [[CNNotices alloc] init];
		c.delegate = hears;
	}
	return c;
}

static void answer(uint64_t ticket, int32_t code, NSError *e) {
	cn_answer(ticket, code, (char *)(e.localizedDescription ?: @"").UTF8String);
}

void cn_notice_ask(uint64_t ticket) {
	dispatch_async(dispatch_get_main_queue(), ^{
		[center() requestAuthorizationWithOptions:UNAuthorizationOptionAlert | UNAuthorizationOptionSound
			completionHandler:^(BOOL granted, NSError *e) { answer(ticket, granted ? CN_OK : CN_DENIED, e); }];
	});
}

void cn_notice_show(uint64_t ticket, const char *title, const char *text) {
	@autoreleasepool {
		UNMutableNotificationContent *c = [[UNMutableNotificationContent alloc] init];
		c.title = @(title) ?: @"";
		c.body = @(text) ?: @"";
		c.sound = UNNotificationSound.defaultSound;
		UNNotificationRequest *r = [UNNotificationRequest requestWithIdentifier:the_one content:c trigger:nil];
		dispatch_async(dispatch_get_main_queue(), ^{
			[center() addNotificationRequest:r
				withCompletionHandler:^(NSError *e) { answer(ticket, e == nil ? CN_OK : CN_FAILED, e); }];
		});
	}
}

void cn_notice_hide(void) {
	dispatch_async(dispatch_get_main_queue(), ^{
		[center() removePendingNotificationRequestsWithIdentifiers:@[ the_one ]];
		[center() removeDeliveredNotificationsWithIdentifiers:@[ the_one ]];
	});
}
