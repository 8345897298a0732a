(() => {
{{page}}})();
{{modules}}if (!document.documentElement.classList.contains('live')) {  // a live page starts them itself (live.js)
  lab.start(lab.new_life());
  document.addEventListener('DOMContentLoaded', () => lab.parts.address.arrive());
}
