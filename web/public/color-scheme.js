// Before anything is drawn: light or dark, by choice or by the system. A file of its own because the page's security
// policy allows no inline script.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Nothing is kept in this browser; the system decides.
  }
  const system = matchMedia('(prefers-color-scheme: dark)');
  const show = () => {
    const scheme = chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light';
    document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
  };
  show();
})();
