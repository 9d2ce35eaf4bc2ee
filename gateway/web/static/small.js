// The script of the pages without a rail.

import { onSmallPage } from "./here.js";

onSmallPage();
