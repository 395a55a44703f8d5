import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAddressValue } from '../../../state/use-address.ts';
import styles from '../sync-guide.module.css';
import { dataSections } from './data-sections.tsx';
import { objectSections } from './object-sections.tsx';
import { runningSections } from './running-sections.tsx';

const sections = [...dataSections, ...objectSections, ...runningSections];
const isSection = (text: string) => text === '' || sections.some(({ id }) => id === text);

/** The rules, in one section each. The address may name the section to scroll to. */
export function GuideTab() {
  const [section, setSection] = useAddressValue('section', '', (text): text is string => isSection(text));
  const router = useRouter();
  useEffect(() => {
    scrollToSection(section);
    // The router scrolls a page that was just opened to its top.
    return router.subscribe('onRendered', () => scrollToSection(section));
  }, [section, router]);
  return (
    <div className={styles.guide}>
      <nav className={styles.contents} aria-label="On this page">
        <ul>
          {sections.map(({ id, title }) => (
            <li key={id}>
              <button
                type="button"
                aria-current={section === id || undefined}
                onClick={() => (section === id ? scrollToSection(id) : setSection(id))}
              >
                {title}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.text}>
        {sections.map(({ id, title, Content }) => (
          <section key={id}>
            <h2 id={getHeadingId(id)} tabIndex={-1}>
              {title}
            </h2>
            <Content />
          </section>
        ))}
      </div>
    </div>
  );
}

function getHeadingId(id: string): string {
  return `guide-${id}`;
}

function scrollToSection(id: string): void {
  const heading = id === '' ? null : document.getElementById(getHeadingId(id));
  heading?.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
}
