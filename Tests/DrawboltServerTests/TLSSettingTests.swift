import DrawboltServer
import Foundation
import Testing

@Suite("TLS, as it is configured,")
struct TLSSettingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("wants a certificate and a key, or neither")
  func pair() throws {
    var configuration = Configuration.development
    for (certificate, key, missing) in [("a", "", "tls.key"), ("", "b", "tls.certificate")] {
      configuration.tlsCertificate = certificate
      configuration.tlsKey = key
      let error = #expect(throws: ConfigurationError.self) { try configuration.check() }
      #expect(error?.message.hasPrefix("\(missing) is empty, but must be a file") == true)
    }
    configuration.tlsCertificate = "a"
    #expect(throws: Never.self) { try configuration.check() }
  }

  @Test("is read from the file, the environment and flags")
  func sources() throws {
    var configuration = Configuration()
    #expect(!configuration.isSecure)
    try ConfigurationReader.apply(
      json5: "{ tls: { certificate: '/c', key: '/k' } }", file: "test.json5", to: &configuration)
    #expect(configuration.isSecure)
    #expect(configuration.tlsKey == "/k")
    try ConfigurationReader.apply(
      environment: ["DRAWBOLT_TLS_CERTIFICATE": "/d"], to: &configuration)
    try ConfigurationReader.apply(flag: "tls-key", text: "/l", to: &configuration)
    #expect(configuration.tlsCertificate == "/d" && configuration.tlsKey == "/l")
  }

  @Test("is refused before anything is made if a file is missing")
  func missing() throws {
    let process = try ChildProcess(
      TestServer.flags(scratch.path + "/data")
        + ["--tls-certificate", "/nowhere.pem", "--tls-key", "/nowhere.key"], scratch: scratch)
    #expect(try process.end() == .exited(78))
    #expect(process.errors == "drawbolt: cannot read /nowhere.pem: No such file or directory\n")
  }

  @Test("leaves a hangup without it what it was: the end")
  func hangup() throws {
    let server = try TestServer(scratch)
    server.process.signal(SIGHUP)
    #expect(try server.process.end() == .killed(SIGHUP))
  }
}
