extension Command {
  /// Every command, in the order of the overview.
  package static let all: [Command] = [
    serve, lockAdd, lockList, lockRemove, lockReset, lockMirror, secretAdd, secretList,
    secretRevoke, keyCreate,
    keyShowID, keyRotate, tokenKey, tokenMint, tokenCheck, tokenRevoke, tokenList, adminAdd,
    adminList,
    adminRevoke,
    grantVerify, backup, restore, configCheck, configDefault, versionCommand,
  ]
}
