#import <AppKit/AppKit.h>
#import <WebKit/WebKit.h>
#import <CoreGraphics/CoreGraphics.h>
#include "page_darwin.h"

// As in pagerule.go.
enum { FROM_PAGE = 0, FROM_PERSON = 1, FROM_FRAME = 2, FROM_NEW = 3 };
enum { STAYS = 0, OUTSIDE = 1, REFUSED = 2, INSTEAD = 3 };

// CNPage answers for the web view: which addresses are loaded, and what the menu does with the page. Nothing is
// downloaded, no other window is opened, no camera or microphone is given.
@interface CNPage : NSObject <WKNavigationDelegate, WKUIDelegate>
@property(copy) NSString *origin;
@property(weak) WKWebView *view;
@end

@implementation CNPage

- (int32_t)rule:(NSURL *)url from:(int32_t)from {
	NSString *text = url.absoluteString;
	if (text == nil) return REFUSED;
	return cn_page_rule((char *)self.origin.UTF8String, (char *)text.UTF8String, from);
}

- (void)webView:(WKWebView *)view
	decidePolicyForNavigationAction:(WKNavigationAction *)action
					decisionHandler:(void (^)(WKNavigationActionPolicy))decide {
	NSURL *url = action.request.URL;
	int32_t from = FROM_PAGE;
	if (action.targetFrame == nil) {
		from = FROM_NEW;
	} else if (!action.targetFrame.isMainFrame) {
		from = FROM_FRAME;
	} else if (action.navigationType == WKNavigationTypeLinkActivated) {
		from = FROM_PERSON;
	}
	int32_t rule = action.shouldPerformDownload ? REFUSED : [self rule:url from:from];
	decide(rule == STAYS ? WKNavigationActionPolicyAllow : WKNavigationActionPolicyCancel);
	if (rule == OUTSIDE) {
		[[NSWorkspace sharedWorkspace] openURL:url];
	} else if (rule == INSTEAD) {
		[view loadRequest:[NSURLRequest requestWithURL:url]];
	}
}

- (void)webView:(WKWebView *)view
	decidePolicyForNavigationResponse:(WKNavigationResponse *)response
					  decisionHandler:(void (^)(WKNavigationResponsePolicy))decide {
	BOOL attached = NO;
	if ([response.response isKindOfClass:[NSHTTPURLResponse class]]) {
		NSString *how = [(NSHTTPURLResponse *)response.response valueForHTTPHeaderField:@"Content-Disposition"];
		attached = [how.lowercaseString hasPrefix:@"attachment"];
	}
	decide(response.canShowMIMEType && !attached ? WKNavigationResponsePolicyAllow : WKNavigationResponsePolicyCancel);
}

- (void)webViewWebContentProcessDidTerminate:(WKWebView *)view {
	[view reload];
}

// The policy above has answered a window of its own already, so there is never one.
- (WKWebView *)webView:(WKWebView *)view
	createWebViewWithConfiguration:(WKWebViewConfiguration *)configuration
			   forNavigationAction:(WKNavigationAction *)action
					windowFeatures:(WKWindowFeatures *)features {
	return nil;
}

- (void)webView:(WKWebView *)view
	requestMediaCapturePermissionForOrigin:(WKSecurityOrigin *)origin
						  initiatedByFrame:(WKFrameInfo *)frame
									  type:(WKMediaCaptureType)type
						   decisionHandler:(void (^)(WKPermissionDecision))decide {
	decide(WKPermissionDecisionDeny);
}

- (void)cnNewChat:(id)sender {
	NSURL *home = [NSURL URLWithString:[self.origin stringByAppendingString:@"/"]];
	if (home != nil) [self.view loadRequest:[NSURLRequest requestWithURL:home]];
	[self.view.window makeKeyAndOrderFront:nil];
}

- (void)cnReload:(id)sender {
	[self.view reload];
}

- (void)zoomTo:(CGFloat)zoom {
	self.view.pageZoom = MIN(3, MAX(0.5, zoom));
}

- (void)cnZoomReset:(id)sender {
	[self zoomTo:1];
}

- (void)cnZoomIn:(id)sender {
	[self zoomTo:self.view.pageZoom * 1.1];
}

- (void)cnZoomOut:(id)sender {
	[self zoomTo:self.view.pageZoom / 1.1];
}

@end

void *cn_page_keeper(const char *origin) {
	CNPage *page = [CNPage new];
	page.origin = @(origin) ?: @"";
	return (void *)CFBridgingRetain(page);
}

void cn_page_keep(void *keeper, void *web_view) {
	CNPage *page = (__bridge CNPage *)keeper;
	WKWebView *view = (__bridge WKWebView *)web_view;
	page.view = view;
	view.navigationDelegate = page;
	view.UIDelegate = page;
}

void cn_page_load(void *keeper, const char *url) {
	CNPage *page = (__bridge CNPage *)keeper;
	NSURL *to = [NSURL URLWithString:@(url) ?: @""];
	if (to != nil) [page.view loadRequest:[NSURLRequest requestWithURL:to]];
}

int32_t cn_app_has_screen(void) {
	CFDictionaryRef session = CGSessionCopyCurrentDictionary();
	if (session == NULL) return 0;
	CFRelease(session);
	return 1;
}

int32_t cn_app_at_login(void) {
	NSAppleEventDescriptor *event = [NSAppleEventManager sharedAppleEventManager].currentAppleEvent;
	if (event.eventID != kAEOpenApplication) return 0;
	return [event paramDescriptorForKeyword:keyAEPropData].enumCodeValue == keyAELaunchedAsLogInItem ? 1 : 0;
}
