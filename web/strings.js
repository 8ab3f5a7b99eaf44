// What pages and pads say, in English and Chinese.

const english = {
  connecting: "Connecting …",
  connected: "Connected.",
  reconnecting: "Connection lost. Trying again …",
  disconnected: "Not connected: {reason}",
  noLock: "There is no lock “{room}” here.",
  noBoard: "There is no board “{room}” here.",
  badToken: "This needs a valid link. Ask whoever gave you yours for a new one.",
  boardNeverOpens: "A board never opens. It has no lock and only mirrors.",
  ready: "Draw the pattern.",
  readyBoard: "Draw something.",
  watching: "Nobody is drawing.",
  drawing: "Drawing …",
  drawingBy: "{name} is drawing.",
  somebody: "Somebody",
  checking: "Checking …",
  accepted: "Accepted.",
  opened: "Accepted. The lock is open.",
  notOpened: "Accepted, but no lock took it up.",
  rejected: "Wrong pattern.",
  tooShort: "Connect at least {count} dots.",
  lockedOut: "Too many wrong patterns. Try again in {time}.",
  lockedForGood: "Too many wrong patterns. Ask whoever looks after the lock.",
  unavailable: "It could not be checked. Try again in a moment.",
  cancelled: "Cancelled.",
  finished: "Done.",
  idle: "",
  rate: "Too fast. Try again.",
  padLabel: "Pattern pad, {columns} by {rows}",
  padHelp: "Arrow keys move, Space adds a dot, Enter ends, Escape cancels.",
  padHelpDigits: "Keys 1 to 9, or arrows and Space, add dots. Enter ends, Escape cancels.",
  onNode: "Row {row}, column {column}.",
  dots: "Dots: {count}.",
  usedDot: "Used already. Dots: {count}.",
  viewers: "{count} watching",
  pad: "Pad", mirror: "Mirror", lock: "Lock", home: "Home",
  lockClosed: "Closed", lockOpen: "Open",
  lockWaiting: "Waits for the right pattern on the pad.",
  lockDemo: "Opened by a demo grant, signed by the server.",
  lockRefused: "A grant was refused: {reason}",
  noEd25519: "this browser cannot verify Ed25519 signatures",
  badGrant: "its signature or number is wrong",
  lateGrant: "it came too late",
  demoGrant: "it is for demonstrations only",
  padTitle: "Draw the pattern",
  padLead: "Mirrors follow while you draw, unless the lock hides its strokes.",
  boardTitle: "Draw on the board",
  boardLead: "Everybody who watches this board sees what you draw.",
  mirrorTitle: "Mirror",
  mirrorLead: "What this room shows, live.",
  lockTitle: "Lock",
  lockLead: "Opens when the server grants it, and closes again.",
  indexTitle: "Draw here, open there.",
  indexLead: "A live pattern lock: somebody draws in a browser, every viewer sees it at once, the "
    + "server checks it, and the lock opens.",
  indexPad: "Draw the pattern. The demo's is 2‑5‑8‑9‑6.",
  indexMirror: "Watch the stroke as it is drawn.",
  indexLock: "A lock that opens on a signed grant.",
  howTitle: "Try it",
  how1: "Open the lock in one window and the mirror in another, or on another screen.",
  how2: "Draw on the pad, with a finger, a pen, a mouse or the keyboard.",
  how3: "The mirror follows the stroke, the server checks the pattern, and the lock opens.",
  indexBoard: "A board has no lock and only mirrors:",
  boardPad: "draw on one", boardMirror: "watch it",
  embedTitle: "In a page of your own",
  language: "中文",
};

const chinese = {
  connecting: "正在连接…",
  connected: "已连接。",
  reconnecting: "连接已断开，正在重试…",
  disconnected: "未连接：{reason}",
  noLock: "这里没有名为“{room}”的锁。",
  noBoard: "这里没有名为“{room}”的画板。",
  badToken: "需要有效的链接。请向给您链接的人索取新的链接。",
  boardNeverOpens: "画板不会打开：它没有锁，只做镜像。",
  ready: "请绘制手势密码。",
  readyBoard: "请随意绘制。",
  watching: "当前无人绘制。",
  drawing: "正在绘制…",
  drawingBy: "{name} 正在绘制。",
  somebody: "有人",
  checking: "正在验证…",
  accepted: "手势正确。",
  opened: "手势正确，锁已打开。",
  notOpened: "手势正确，但没有锁响应。",
  rejected: "手势错误。",
  tooShort: "手势密码不能少于 {count} 个点。",
  lockedOut: "错误次数过多，请在 {time} 后重试。",
  lockedForGood: "错误次数过多，请联系管理员。",
  unavailable: "暂时无法验证，请稍后再试。",
  cancelled: "已取消。",
  finished: "已完成。",
  idle: "",
  rate: "操作过快，请重试。",
  padLabel: "手势密码盘，{columns} 列 {rows} 行",
  padHelp: "方向键移动，空格键添加圆点，回车键结束，Esc 键取消。",
  padHelpDigits: "数字键 1 至 9，或方向键加空格键，添加圆点；回车键结束，Esc 键取消。",
  onNode: "第 {row} 行，第 {column} 列。",
  dots: "已连接 {count} 个点。",
  usedDot: "该点已用过。已连接 {count} 个点。",
  viewers: "{count} 人观看",
  pad: "密码盘", mirror: "镜像", lock: "锁", home: "首页",
  lockClosed: "已锁", lockOpen: "已开",
  lockWaiting: "等待密码盘上的正确手势。",
  lockDemo: "由服务器签名的演示授权打开。",
  lockRefused: "授权被拒绝：{reason}",
  noEd25519: "此浏览器无法验证 Ed25519 签名",
  badGrant: "签名或编号不正确",
  lateGrant: "授权已过期",
  demoGrant: "该授权仅供演示",
  padTitle: "请绘制手势密码",
  padLead: "绘制时镜像会实时跟随，除非此锁隐藏绘制过程。",
  boardTitle: "在画板上绘制",
  boardLead: "所有观看此画板的人都能看到您的绘制。",
  mirrorTitle: "镜像",
  mirrorLead: "实时显示本房间的画面。",
  lockTitle: "锁",
  lockLead: "服务器授权后打开，随后自动关闭。",
  indexTitle: "这里画，那里开。",
  indexLead: "实时手势锁：有人在浏览器中绘制，所有观看者同步看到，服务器验证后锁即打开。",
  indexPad: "绘制手势密码。演示密码为 2‑5‑8‑9‑6。",
  indexMirror: "实时观看绘制过程。",
  indexLock: "凭签名授权打开的锁。",
  howTitle: "试一试",
  how1: "在一个窗口中打开锁页面，在另一个窗口或设备上打开镜像。",
  how2: "用手指、手写笔、鼠标或键盘在密码盘上绘制。",
  how3: "镜像实时跟随，服务器验证手势，锁随即打开。",
  indexBoard: "画板没有锁，只做镜像：",
  boardPad: "在画板上绘制", boardMirror: "观看画板",
  embedTitle: "嵌入到您的页面",
  language: "English",
};

/** `zh-CN` or `en`: the page's `?lang=`, else the browser's. */
export const language = (() => {
  const asked = new URLSearchParams(globalThis.location?.search ?? "").get("lang");
  const wanted = asked ?? globalThis.navigator?.language ?? "en";
  return wanted.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
})();

const strings = language === "zh-CN" ? chinese : english;

/**
 * A text with its values filled in.
 * @param {string} name
 * @param {Object<string, string|number>} [values]
 */
export function text(name, values = {}) {
  return (strings[name] ?? "").replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}

/** @param {string} room */
export const isBoard = (room) => room.startsWith("board:");

/**
 * What an error before the welcome says of the room; null if it is about something else.
 * @param {{code: string, message: string}} error
 * @param {string} room
 */
export function refusalText({ code, message }, room) {
  if (code === "badToken") return text("badToken");
  const isName = code === "badMessage" && /\broom\b/.test(message);
  if (code !== "denied" && !isName) return null;
  return isBoard(room) ? text("noBoard", { room: room.slice("board:".length) }) : text("noLock", { room });
}

/** Both tables, for tests. */
export const tables = { en: english, "zh-CN": chinese };
