// Applies the chosen or the system's color scheme before the first paint, and again when the system setting changes.
// A separate file, because the page's security policy forbids inline scripts.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const show = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem('mantine-color-scheme-value');
    } catch {
      // Storage is unavailable; use the system setting.
    }
    const scheme = chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light';
    document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
  };
  show();
  system.addEventListener('change', show);
})();
