import styles from './footer.module.css';

export function Footer() {
  return <footer className={styles.footer}>Portal · {new Date().getFullYear()}</footer>;
}
