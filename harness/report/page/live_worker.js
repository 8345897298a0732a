// The connection of live pages.
'use strict';
