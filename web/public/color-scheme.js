// Before anything is drawn, and whenever the system changes: light or dark, by choice or by the system. A file of its
// own because the page's security policy allows no inline script.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const show = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem('mantine-color-scheme-value');
    } catch {
      // Nothing is kept in this browser; the system decides.
    }
    const scheme = chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light';
    document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
  };
  show();
  system.addEventListener('change', show);
})();
