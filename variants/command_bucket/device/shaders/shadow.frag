#version 450
layout(location = 0) flat in uint order;
layout(location = 0) out uint seen_order;

void main() { seen_order = order; }
