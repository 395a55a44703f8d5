/**
 * The peer of the followed log: a page that puts each line of the bare relay into a text and keeps
 * the last thousand. It runs in the page and is sent as text, so it can use nothing from outside
 * itself.
 */
export function bareLogPage(relayUrl: string): void {
  const lines: string[] = [];
  const view = document.createElement('pre');
  view.style.cssText = 'height: 480px; overflow: auto';
  document.body.append(view);
  new WebSocket(relayUrl).onmessage = ({ data }) => {
    const { millis, key, value } = JSON.parse(data);
    lines.push(`${new Date(millis).toISOString()} ${key} ${value}`);
  };
  setInterval(() => {
    lines.splice(0, lines.length - 1000);
    view.textContent = lines.join('\n');
    view.scrollTop = view.scrollHeight;
  }, 100);
}
