import { setUpPage } from "./page.js";

setUpPage();
