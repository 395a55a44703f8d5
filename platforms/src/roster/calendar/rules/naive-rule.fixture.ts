/**
 * Lists the starts of a rule by its definition in RFC 5545: checks every day, hour, minute and
 * second of a range against each part. Slow, and independent of the product's code.
 */
const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const dayMs = 86_400_000;
const weekStarts = new Map<string, number[]>();

export function listByDefinition(rule: string, startMs: number, endMs: number): number[] {
  const parts = new Map(rule.split(';').map((part) => part.split('=') as [string, string]));
  const frequency = parts.get('FREQ') ?? '';
  const untilText = parts.get('UNTIL');
  const until = untilText === undefined ? endMs : parseLocal(untilText);
  const count = Number(parts.get('COUNT') ?? Number.POSITIVE_INFINITY);
  const positions = parts.get('BYSETPOS')?.split(',').map(Number);
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const getPeriod = (time: number) => countPeriods(frequency, time, parts) - countPeriods(frequency, startMs, parts);
  const byPeriod = new Map<number, number[]>();
  const lookBackMs = { YEARLY: 366, MONTHLY: 31, WEEKLY: 7 }[frequency] ?? 1;
  // The last period must be complete for positions from its end.
  const lastDay = endMs + (positions ? lookBackMs * dayMs : 0);
  for (let day = floorTo(startMs, dayMs) - lookBackMs * dayMs; day <= lastDay; day += dayMs) {
    if (!isDay(new Date(day), parts, new Date(startMs))) continue;
    for (const time of listTimes(day, parts, startMs)) {
      const period = getPeriod(time);
      if (period < 0 || period % interval !== 0) continue;
      const times = byPeriod.get(period);
      if (times) times.push(time);
      else byPeriod.set(period, [time]);
    }
  }
  const chosen = [...byPeriod.values()].flatMap((times) =>
    times.filter((_, index) => !positions || positions.includes(index + 1) || positions.includes(index - times.length)),
  );
  return chosen
    .filter((time) => time >= startMs)
    .slice(0, count)
    .filter((time) => time <= endMs && time <= until);
}

function countPeriods(frequency: string, time: number, parts: ReadonlyMap<string, string>): number {
  const date = new Date(time);
  switch (frequency) {
    case 'YEARLY':
      return date.getUTCFullYear();
    case 'MONTHLY':
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    case 'WEEKLY': {
      // 1970-01-04 was a Sunday.
      const firstWeekStart = Date.UTC(1970, 0, 4 + weekdays.indexOf(parts.get('WKST') ?? 'MO'));
      return Math.floor((time - firstWeekStart) / (7 * dayMs));
    }
    default:
      return Math.floor(time / ({ DAILY: dayMs, HOURLY: 3_600_000, MINUTELY: 60_000 }[frequency] ?? 1_000));
  }
}

/** Yields the times of a day that BYHOUR, BYMINUTE and BYSECOND choose, or else the start. */
function* listTimes(day: number, parts: ReadonlyMap<string, string>, startMs: number): Iterable<number> {
  const start = new Date(startMs);
  const finest = ['SECONDLY', 'MINUTELY', 'HOURLY'].indexOf(parts.get('FREQ') ?? '') + 1 || 4;
  const isChosen = (name: string, level: number, value: number, own: number) =>
    parts.get(name)?.split(',').map(Number).includes(value) ?? (finest <= level || value === own);
  for (let hour = 0; hour < 24; hour++) {
    if (!isChosen('BYHOUR', 3, hour, start.getUTCHours())) continue;
    for (let minute = 0; minute < 60; minute++) {
      if (!isChosen('BYMINUTE', 2, minute, start.getUTCMinutes())) continue;
      for (let second = 0; second < 60; second++)
        if (isChosen('BYSECOND', 1, second, start.getUTCSeconds()))
          yield day + ((hour * 60 + minute) * 60 + second) * 1000;
    }
  }
}

function isDay(date: Date, parts: ReadonlyMap<string, string>, start: Date): boolean {
  const list = (name: string) => parts.get(name)?.split(',').map(Number);
  const [months, weeks, yearDays, monthDays] = ['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY'].map(list);
  const days = parts.get('BYDAY')?.split(',');
  const frequency = parts.get('FREQ');
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (months && !months.includes(month + 1)) return false;
  if (monthDays && !isNth(monthDays, date, Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1))) return false;
  if (yearDays && !isNth(yearDays, date, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1))) return false;
  if (weeks && !isInWeeks(weeks, date, weekdays.indexOf(parts.get('WKST') ?? 'MO'))) return false;
  if (days) return days.some((day) => isWeekday(day, date, frequency === 'MONTHLY' || months !== undefined));
  if (weeks || yearDays || monthDays) return true;
  if (frequency === 'WEEKLY') return date.getUTCDay() === start.getUTCDay();
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') return true;
  const isMonth = frequency === 'MONTHLY' || months !== undefined || month === start.getUTCMonth();
  return isMonth && date.getUTCDate() === start.getUTCDate();
}

/** Counts days from the beginning of a month or year, and from its end. */
function isNth(numbers: readonly number[], date: Date, from: number, to: number): boolean {
  const day = floorTo(date.getTime(), dayMs);
  return numbers.some((number) => (number > 0 ? from + (number - 1) * dayMs : to + number * dayMs) === day);
}

/** Counts the same weekdays of a month or year up to the day, and from its end. */
function isWeekday(text: string, date: Date, isOfMonth: boolean): boolean {
  if (weekdays[date.getUTCDay()] !== text.slice(-2)) return false;
  const number = text.length > 2 ? Number(text.slice(0, -2)) : undefined;
  if (number === undefined) return true;
  const unit = (time: number) => new Date(time).toISOString().slice(0, isOfMonth ? 7 : 4);
  let counted = 0;
  for (let time = date.getTime(); unit(time) === unit(date.getTime()); time -= Math.sign(number) * 7 * dayMs)
    counted += Math.sign(number);
  return counted === number;
}

function isInWeeks(numbers: readonly number[], date: Date, weekStart: number): boolean {
  const year = date.getUTCFullYear();
  return [year - 1, year, year + 1].some((weekYear) => {
    const starts = listWeekStarts(weekYear, weekStart);
    const index = starts.findIndex((start) => date.getTime() >= start && date.getTime() < start + 7 * dayMs);
    return index >= 0 && (numbers.includes(index + 1) || numbers.includes(index - starts.length));
  });
}

/** Lists the weeks that have at least four days in a year. */
function listWeekStarts(year: number, weekStart: number): number[] {
  const key = `${year} ${weekStart}`;
  const known = weekStarts.get(key);
  if (known) return known;
  const starts: number[] = [];
  for (let day = Date.UTC(year - 1, 11, 20); day < Date.UTC(year + 1, 0, 10); day += dayMs) {
    const inYear = [0, 1, 2, 3, 4, 5, 6].filter((more) => new Date(day + more * dayMs).getUTCFullYear() === year);
    if (new Date(day).getUTCDay() === weekStart && inYear.length >= 4) starts.push(day);
  }
  weekStarts.set(key, starts);
  return starts;
}

function parseLocal(text: string): number {
  return Date.parse(text.replace(/(....)(..)(..)T(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'));
}

function floorTo(value: number, unit: number): number {
  return Math.floor(value / unit) * unit;
}
