(() => {
{{fit}}})();
{{page}}const page_address = (() => {
{{address}}return start_address();
})();
const charts = (() => {
{{figures}}return start_charts();
})();
(() => {
{{filter}}start_filter();
})();
(() => {
{{matrix}}start_matrices();
})();
(() => {
{{table}}start_tables();
})();
(() => {
{{replay}}})();
(() => {
{{compare}}})();
