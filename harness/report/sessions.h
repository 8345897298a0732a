/// Which sessions of the machine a report puts together (judge/picture.h).
#pragma once

#include "harness/judge/picture.h"
#include "harness/report/document.h"

namespace lab::report {

/// Adds to the head of a report what its sessions are: "3 of this commit, 2 fit", and an alert if the latest one gives
/// no times. Nothing if the picture has one session.
void add_picture(const judge::Picture& picture, Document& document);

/// Each session, the latest first: when it ran, whether it is fit, what it gave, and why not more.
Table sessions_table(const judge::Picture& picture);

}  // namespace lab::report
