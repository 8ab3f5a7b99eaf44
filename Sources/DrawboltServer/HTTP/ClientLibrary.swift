/// Which web files pages of other sites use.
package enum ClientLibrary {
  /// The page that other sites may show in a frame, if the configuration lets them.
  package static let padPage = "/pad.html"

  /// The client library with all that it loads; nothing in it differs from visitor to visitor, so
  /// every page may have it.
  package static let files: Set<String> = [
    "/acknowledger.js", "/backoff.js", "/drawbolt.js", "/environment.js", "/grant.js",
    "/pad-element.css", "/pad-element.js", "/pad-input.js", "/pad-session.js", "/pad-view.js",
    "/strings.js", "/stroke-sender.js", "/tracker.js", "/wire-fields.js", "/wire.js",
  ]
}
