// The shell of live pages.
'use strict';
