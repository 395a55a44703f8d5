/**
 * The peer of the followed log: a page that appends each line of the baseline relay to a text and
 * retains the last thousand. It is sent to the page as source text, so it must be self-contained.
 */
export function baselineLogPage(relayUrl: string): void {
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
