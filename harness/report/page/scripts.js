(() => {
{{fit}}})();
{{page}}const charts = (() => {
{{figures}}return start_charts();
})();
(() => {
{{filter}}start_filter();
})();
(() => {
{{matrix}}start_matrices();
})();
(() => {
{{sort}}})();
(() => {
{{replay}}})();
(() => {
{{compare}}})();
