import PadModel
import Transport
import Vault

/// The OpenAPI 3.1 document of the HTTP interface, made from the routes.
enum AdminDocument {
  /// The document as it is served.
  static let response = HTTPResponse.json(Array(text.utf8))

  /// The document.
  static let text: String = {
    let head = #"""
      {"openapi":"3.1.0","info":{"title":"Drawbolt administration","version":"1","summary":\#
      "Locks, secrets, attempts, rooms and tokens of a running server."},\#
      "servers":[{"url":"\#(AdminRoute.root)"}],"security":[{"token":[]}],
      """#
    return head + "\"paths\":{\(paths)},\"components\":{\(components)}}\n"
  }()

  private static var paths: String {
    var order: [String] = []
    for route in AdminRoute.all where !order.contains(route.path) { order.append(route.path) }
    return order.map { path in
      let operations = AdminRoute.all.filter { $0.path == path }.map(operation)
      return "\"\(path)\":{\(operations.joined(separator: ","))}"
    }.joined(separator: ",")
  }

  private static func operation(_ route: AdminRoute) -> String {
    var parts = [
      "\"operationId\":\"\(route.task.rawValue)\"", "\"summary\":\(quoted(route.summary))",
    ]
    let parameters = parameters(of: route)
    if !parameters.isEmpty { parts.append("\"parameters\":[\(parameters.joined(separator: ","))]") }
    if let body = route.body {
      parts.append("\"requestBody\":{\"required\":true,\(content(body))}")
    }
    parts.append("\"responses\":{\(responses(of: route))}")
    return "\"\(route.method.rawValue.lowercased())\":{\(parts.joined(separator: ","))}"
  }

  private static func parameters(of route: AdminRoute) -> [String] {
    let names = route.path.split(separator: "/").filter { $0.hasPrefix("{") }
      .map { $0.dropFirst().dropLast() }
    let inPath = names.map { name in
      ##"{"name":"\##(name)","in":"path","required":true,"schema":{"$ref":"#/components/schemas/\##(name)"}}"##
    }
    guard route.hasPages else { return inPath }
    return inPath + [
      #"{"name":"before","in":"query","description":"Entries with a lower id.","#
        + #""schema":{"type":"integer","minimum":0,"maximum":9223372036854775807}}"#,
      #"{"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":1000}}"#,
    ]
  }

  private static func responses(of route: AdminRoute) -> String {
    let success = route.answer.map(content).map { "," + $0 } ?? ""
    var all = ["\"\(route.status)\":{\"description\":\"Done.\"\(success)}"]
    let common = [400, 401, 429, 503] + (route.body == nil ? [] : [408, 411, 413])
    for status in (common + route.refusals).sorted() {
      all.append("\"\(status)\":{\"$ref\":\"#/components/responses/error\"}")
    }
    return all.joined(separator: ",")
  }

  private static func content(_ schema: String) -> String {
    ##""content":{"application/json":{"schema":{"$ref":"#/components/schemas/\##(schema)"}}}"##
  }

  private static var components: String {
    let schemas = AdminSchemas.all.map { "\"\($0.name)\":\($0.schema)" }.joined(separator: ",")
    return #"""
      "securitySchemes":{"token":{"type":"http","scheme":"bearer",\#
      "description":"Made by drawbolt admin add."}},\#
      "responses":{"error":{"description":"Why it was not done.",\#(content("Error"))}},\#
      "schemas":{\#(schemas)}
      """#
  }
}
