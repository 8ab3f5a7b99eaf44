import "./pad-element.js";
import { setUpPad } from "./page.js";

setUpPad("viewer");
