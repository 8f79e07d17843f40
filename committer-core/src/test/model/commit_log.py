#!/usr/bin/env python3
"""Executable specification of the commit log in which every file is a multipart upload: S3, its clients, and what must hold.

  commit_log.py all [seconds]          every configuration, breadth first
  commit_log.py one NAME [seconds]     one configuration
  commit_log.py without [seconds]      each rule left out in turn: the shortest history that goes wrong
  commit_log.py walk [seconds] [seed]  random histories of larger configurations, shrunk when one goes wrong
  commit_log.py known                  what is not promised, with a history each
  commit_log.py traces FILE [seconds]  the histories of "without" as JSON, for ModelTracesTest, which replays them against the code
Further arguments name rules to leave out, as -follow-lost.

A move is one request of one process, or a delayed request that reaches the store, or the end of a Complete that took long.
A process sleeps whenever the search moves another one, so sleeps of any length are covered; a crash is a sleep without an end.
Nobody can tell one from the other, and nobody needs to: any process may execute any entry at any time.
Keys are unique, so a file is a number; sets of files, directories and entries are bits of an int.
"""
import hashlib, json, random, sys, time
from collections import deque, namedtuple

RULES = {
    'look':        'a second decider of a job, and an aborter, look for an entry of their job before they decide',
    'follow-open': 'a REPLACE follows the overlapping entries that have not ended',
    'follow-lost': 'who loses a number to an overlapping entry follows it',
    'finalize':    'a followed file that is still pending is completed before it is deleted: nobody can complete it later',
    'joining':     'a file that is neither pending nor there may be joining: wait, then look again',
    'settled':     'it is not waited for if an entry that follows its own, and was executed, has replaced the directory: then it cannot appear',
    'all-there':   'nothing is deleted before all own files are there, or superseded',
    'inside':      'an entry is marked superseded only if its whole effect lies inside the R of the one that marks it',
    'before':      'hook: an entry that was open at the LIST before the engine deletes is cleared afterwards',
    'since':       'hook: an entry that has come since that LIST is cleared afterwards',
    'later-ended': 'a file of a REPLACE is superseded only by a later entry that has ended: before, the old objects are all that is there',
    'halt':        'a REPLACE that lost a file is not ended, and deletes nothing, until it is given up',
    'keep-followed': 'an entry is not cut while an entry that follows it is open',
    'fresh-list':  'an entry is not written when the LIST before it is older than the cut',
    'young-job':   'a job that is older than the youngest entry that can have been cut does not decide',
    'run':         'a job of a run looks for an ADD of that before it decides, and executes it then; its own uploads it aborts',
    'run-met':     'the same where it meets such an ADD at the number that it tries',
}
ON = set(RULES)

Entry = namedtuple('Entry', 'kind job write files R old follows run', defaults=(0,))          # write: which process and attempt wrote it
State = namedtuple('State', 'log ended done lost given obj pend join ever flight procs losses cut skips')
# ended: bits of entries with a marker of their end; done: of those with a marker of their execution, where the metastore may be left to do
# lost: files that a marker, or an operator's answer, calls lost; given: entries that are given up
# obj, pend, join, ever: files that are visible, pending uploads, joining, were visible at some time; flight: delayed requests
# skips: (number, R) of a hook's statements that have decided nothing: they stand right behind that number
Proc = namedtuple('Proc', 'pc n follows old e i miss stale h0', defaults=(0,) * 8)
Role = namedtuple('Role', 'kind job files R run', defaults=(0,))          # run: of which this job is one attempt; 0: none
START, END = Proc('list'), Proc('end')

class Violation(Exception):
    pass

def need(ok, message, *args):
    if not ok:
        raise Violation(message % args)

def bits(it):
    r = 0
    for i in it:
        r |= 1 << i
    return r

def members(mask):
    return [i for i in range(mask.bit_length()) if mask >> i & 1]

class Config:
    """files: 'Ua Ob' is an upload in directory a and an old object in directory b."""
    def __init__(self, files, roles, losses=1, cut=False, begin=(), meta=False):
        fs = files.split()
        self.names = sorted({f[1] for f in fs})
        self.dir = [1 << self.names.index(f[1]) for f in fs]
        self.init = bits(i for i, f in enumerate(fs) if f[0] == 'O')
        self.uploads = bits(i for i, f in enumerate(fs) if f[0] == 'U')
        self.below = {d: bits(i for i, x in enumerate(self.dir) if x & d) for d in range(1 << len(self.names))}
        self.roles, self.losses, self.cut, self.begin, self.meta = roles, losses, cut, begin, meta
        kinds = {r.kind for r in roles}
        self.hook, self.foreign = 'HOOK' in kinds, 'FOREIGN' in kinds

    def start(self):
        return State((), 0, 0, 0, 0, self.init, self.uploads, 0, self.init, (), (START,) * len(self.roles), self.losses, 0, ())

def J(job, kind, files=(), R='', run=0, names='abc'):
    return Role(kind, job, tuple(files), bits(names.index(c) for c in R), run)

# ---- what the log says ---------------------------------------------------------------------------------------------------
def overlaps(C, en, R):
    return en.kind != 'VOID' and bool(en.R & R or any(C.dir[f] & R for f in en.files))

def open_entries(C, S, R):
    return bits(k for k in range(S.cut + 1, len(S.log) + 1) if not S.ended >> k & 1 and overlaps(C, S.log[k - 1], R))

def later_R(S, e, among=-1):
    r = 0
    for k in range(e + 1, len(S.log) + 1):
        if among >> k & 1:
            r |= S.log[k - 1].R
    return r

def followed_files(C, S, e):
    en = S.log[e - 1]
    return [f for m in members(en.follows) if m > S.cut for f in S.log[m - 1].files if C.dir[f] & en.R]

def settling(S, e, below=0):
    """Entries whose execution has brought the files of entry e, in the directories that they replace, to their end."""
    among = bits(k for k, en in enumerate(S.log, 1) if S.done >> k & en.follows >> e & 1) if 'settled' in ON else -1
    return among & (1 << below) - 1 if below else among

def effect(C, en):
    r = en.R
    for f in en.files:
        r |= C.dir[f]
    return r

# ---- what must hold ------------------------------------------------------------------------------------------------------
def expected(C, S):
    vis = C.init
    for n in range(len(S.log) + 1):
        if n and S.log[n - 1].kind != 'VOID':
            vis = vis & ~C.below[S.log[n - 1].R] | bits(S.log[n - 1].files)
        for at, R in S.skips:
            if at == n:
                vis &= ~C.below[R]
    return vis & ~S.lost

def satisfied(C, S, t, d):
    """In directory d all files of t have been there, or belong to a later entry, of which the same is true where it replaces d."""
    for f in S.log[t - 1].files:
        if not (S.ever | S.lost) >> f & 1 and not S.given >> t & 1:
            if not any(S.log[k - 1].R & C.dir[f] and (not S.log[k - 1].R & d or satisfied(C, S, k, d)) for k in range(t + 1, len(S.log) + 1)):
                return False
    return True

def check(C, S):
    jobs = [en.job for en in S.log]
    need(len(set(jobs)) == len(jobs), 'S2: a job is decided twice: %s', jobs)
    runs = [en.run for en in S.log[S.cut:] if en.run and en.kind == 'ADD']
    need(len(set(runs)) == len(runs), 'S8: a run is committed twice: %s', runs)
    real = [k for k, en in enumerate(S.log, 1) if en.kind != 'VOID']
    busy = any(r.kind == 'HOOK' and p.pc in ('edel', 'post', 'put', 'read') for r, p in zip(C.roles, S.procs))
    earlier = C.init
    for k in real:
        en = S.log[k - 1]
        if S.done >> k & 1:
            loose = (S.pend | S.join) & bits(en.files + tuple(followed_files(C, S, k)))
            need(not loose, 'S7: entry %d was executed, and file %s can still appear', k, members(loose))
        if S.ended >> k & 1:
            loose = (S.pend | S.join) & bits(en.files)
            need(not loose, 'S6: entry %d has ended, and file %s can still appear', k, members(loose))
            if en.R:
                open_later = 0
                for k2 in real:
                    if k2 > k and not S.ended >> k2 & 1:
                        open_later |= S.log[k2 - 1].R
                back = (S.obj | S.pend | S.join) & earlier & C.below[en.R & ~open_later] & ~(C.uploads & ~bits(f for e2 in S.log[:k - 1] for f in e2.files))
                need(not back, 'S4: file %s of before entry %d is or can be visible after its end', members(back), k)
        earlier |= bits(en.files)
    if real and not busy and not C.foreign:
        exp = expected(C, S)
        for d in range(len(C.names)):
            mine = [k for k in real if overlaps(C, S.log[k - 1], 1 << d)]
            last = max([k for k in mine if S.log[k - 1].R >> d & 1], default=0)
            if all(S.ended >> k & 1 for k in mine if k >= last):
                need(not (S.obj ^ exp) & C.below[1 << d], 'S1: visible %s, in order %s', members(S.obj), members(exp))
    if not C.hook:
        need(not S.lost & (S.obj | S.join | S.pend), 'L: file %s is called lost and is or can be there', members(S.lost))
    for r, p in zip(C.roles, S.procs):
        need(r.kind != 'FOREIGN' or not S.obj & p.old, 'F: what another program has deleted is visible again: %s', members(S.obj & p.old))

# ---- moves ---------------------------------------------------------------------------------------------------------------
def setp(S, p, P, **kw):
    return S._replace(procs=S.procs[:p] + (P,) + S.procs[p + 1:], **kw)

def lose(S, p, P, request):
    """The client sees a time-out; the request takes effect at any later moment, or never."""
    return setp(S, p, P, flight=tuple(sorted(S.flight + (request,), key=repr)), losses=S.losses - 1)

def moves(C, S):
    for i, r in enumerate(S.flight):
        if i and S.flight[i - 1] == r:
            continue
        T = S._replace(flight=S.flight[:i] + S.flight[i + 1:])
        if r[0] == 'complete' and S.pend >> r[1] & 1:
            yield 'store: delayed Complete of file %d begins' % r[1], T._replace(pend=S.pend & ~(1 << r[1]), join=S.join | 1 << r[1])
        elif r[0] == 'entry' and (r[1] == len(S.log) + 1 or r[1] <= S.cut and 'fresh-list' not in ON):
            if r[1] == len(S.log) + 1:
                yield 'store: delayed PUT of entry %d takes effect' % r[1], T._replace(log=S.log + (r[2],))
    for f in members(S.join):
        b = 1 << f
        yield 'store: file %d is joined and visible' % f, S._replace(join=S.join & ~b, obj=S.obj | b, ever=S.ever | b)
        yield 'store: the join of file %d fails, it is pending again' % f, S._replace(join=S.join & ~b, pend=S.pend | b)
    if C.cut:
        yield from cut(C, S)
    for p, P in enumerate(S.procs):
        if P.pc != 'end':
            for label, T in step(C, S, p, P, C.roles[p]):
                yield 'p%d %s' % (p, label), T

def cut(C, S):
    c = S.cut + 1
    if c < len(S.log) and (S.ended >> c & 1 or S.log[c - 1].kind == 'VOID'):
        if 'keep-followed' not in ON or all(S.ended >> k & 1 for k, en in enumerate(S.log, 1) if en.follows >> c & 1):
            # It has ended long ago: who listed it before its end, or did not see it, has a LIST that is too old (a statement of the engine ends in time).
            if any(r.kind == 'HOOK' and P.pc in ('edel', 'post', 'put', 'read') for r, P in zip(C.roles, S.procs)):
                return
            procs = tuple(P._replace(stale=1) if P.pc in ('old', 'put', 'read') and (P.n <= c or P.follows >> c & 1) or P.pc == 'list' and r.job and r.job == S.log[c - 1].job else P
                          for r, P in zip(C.roles, S.procs))
            flight = tuple(r for r in S.flight if r[0] != 'entry' or not (r[1] <= c or r[2].follows >> c & 1))     # no request is under way for days
            yield 'clock: entry %d is cut' % c, S._replace(cut=c, procs=procs, flight=flight)

def execute(S, e):
    return END if e <= S.cut or S.ended >> e & 1 else Proc('mark', e=e, i=1) if S.done >> e & 1 else Proc('own', e=e)

def found(S, p, P, role, k):
    """Entry k is of our job."""
    if S.log[k - 1].kind == 'VOID':
        return setp(S, p, P._replace(pc='sweep') if P.n < 0 else END)
    return setp(S, p, END if role.kind == 'ABORTER' else execute(S, k))

def is_of_run(en, role):
    return role.run and en.kind == 'ADD' and en.run == role.run

def step(C, S, p, P, role):
    pc, h = P.pc, len(S.log)
    if pc == 'list':
        if role.kind == 'REC' or role.kind == 'GIVEUP':
            for e in range(S.cut + 1, h + 1):
                if not S.ended >> e & 1 and S.log[e - 1].kind != 'VOID':
                    if role.kind == 'REC':
                        yield 'lists the log, executes entry %d' % e, setp(S, p, execute(S, e))
                    else:
                        yield 'notes that entry %d is given up' % e, setp(S, p, Proc('abort', e=e), given=S.given | 1 << e)
        elif role.kind == 'VANISH':
            for f in members(S.pend):
                yield 'upload of file %d vanishes' % f, setp(S, p, END, pend=S.pend & ~(1 << f))
        elif role.kind == 'FOREIGN':
            yield 'another program deletes all that is visible', setp(S, p, END._replace(old=S.obj), obj=0)
        else:
            if P.stale and 'young-job' in ON:
                yield 'the job is too old to decide: fails', setp(S, p, END)
                return
            if 'look' in ON:
                for k in range(S.cut + 1, h + 1):
                    if S.log[k - 1].job == role.job:
                        yield 'lists the log, finds its job', found(S, p, P, role, k)
                        return
                    if 'run' in ON and is_of_run(S.log[k - 1], role):
                        yield 'lists the log, finds its run', setp(S, p, Proc('sweep', e=k))
                        return
            follows = open_entries(C, S, role.R) if 'follow-open' in ON else 0
            nxt = 'edel' if role.kind == 'HOOK' else 'old' if role.R else 'put'
            yield 'lists the log: highest %d, follows %s' % (h, members(follows)), setp(S, p, Proc(nxt, n=h + 1, follows=follows, h0=h))
    elif pc == 'old':
        old = S.obj & C.below[role.R]
        yield 'lists old objects %s' % members(old), setp(S, p, P._replace(pc='put', old=old))
    elif pc == 'edel':
        yield 'the engine deletes %s' % members(S.obj & C.below[role.R]), setp(S, p, P._replace(pc='post'), obj=S.obj & ~C.below[role.R])
    elif pc == 'post':
        fol = P.follows if 'before' in ON else 0
        if 'since' in ON:
            fol |= bits(k for k in range(P.h0 + 1, h + 1) if overlaps(C, S.log[k - 1], role.R))
        fol &= ~((2 << S.cut) - 1)
        if fol:
            yield 'lists the log: must clear %s' % members(fol), setp(S, p, P._replace(pc='put', n=h + 1, follows=fol))
        else:
            yield 'lists the log: nothing to clear', setp(S, p, END, skips=S.skips + ((P.h0, role.R),))
    elif pc in ('put', 'read'):
        void = P.old == -1
        if P.stale and pc == 'put' and 'fresh-list' in ON:
            yield 'its LIST is too old: decides nothing', setp(S, p, END)
        elif P.n <= S.cut:
            if pc == 'read':
                yield 'reads number %d: free, asks again' % P.n, setp(S, p, P._replace(pc='put'))
            else:
                en = Entry('VOID' if void else role.kind, role.job, (p, void), () if void else role.files, 0 if void else role.R, 0 if void else P.old, 0 if void else P.follows)
                yield 'writes a number that was cut: %s' % (en,), setp(S, p, END, obj=S.obj | bits(en.files), pend=S.pend & ~bits(en.files), ever=S.ever | bits(en.files))
        elif P.n <= h:
            en = S.log[P.n - 1]
            if en.job == role.job:
                if en.kind == 'VOID':
                    T = setp(S, p, Proc('sweep')) if void or role.kind == 'ABORTER' else setp(S, p, END)
                else:
                    T = setp(S, p, END if role.kind == 'ABORTER' else execute(S, P.n))
            elif 'run-met' in ON and is_of_run(en, role):
                T = setp(S, p, Proc('sweep', e=P.n))
            else:
                fol = P.follows
                if role.R and not void and overlaps(C, en, role.R) and 'follow-lost' in ON:
                    fol |= 1 << P.n
                T = setp(S, p, P._replace(pc='put', n=P.n + 1, follows=fol))
            yield 'finds entry %d' % P.n, T
        elif pc == 'read':
            yield 'reads number %d: free, asks again' % P.n, setp(S, p, P._replace(pc='put'))
            if not void and role.kind != 'HOOK':
                yield 'reads number %d: free, gives up (VOID)' % P.n, setp(S, p, P._replace(pc='put', old=-1))
        else:
            if void or role.kind == 'ABORTER':
                en = Entry('VOID', role.job, p, (), 0, 0, 0)
            else:
                en = Entry('CLEAR' if role.kind == 'HOOK' else role.kind, role.job, p, role.files, role.R, P.old, P.follows, role.run)
            T = S._replace(log=S.log + (en,))
            yield 'writes entry %d: %s job %d, follows %s' % (P.n, en.kind, en.job, members(en.follows)), setp(T, p, Proc('sweep') if en.kind == 'VOID' else Proc('own', e=P.n))
            if S.losses:
                yield 'PUT of entry %d (%s): time-out' % (P.n, en.kind), lose(S, p, P._replace(pc='read'), ('entry', P.n, en))
    elif pc == 'sweep':
        yield 'aborts the uploads of job %d' % role.job, setp(S, p, execute(S, P.e) if P.e else END, pend=S.pend & ~bits(role.files))
    elif pc == 'abort':
        yield 'aborts the uploads of entry %d' % P.e, setp(S, p, Proc('own', e=P.e), pend=S.pend & ~bits(S.log[P.e - 1].files))
    else:
        yield from execution(C, S, p, P)

def execution(C, S, p, P):
    """Any process, any number of them at one time, may be at any of these steps for one entry."""
    e = P.e
    if e <= S.cut:
        yield 'finds entry %d cut: stops' % e, setp(S, p, END)
        return
    en = S.log[e - 1]
    if P.pc == 'own':
        if P.i == len(en.files):
            yield from execution(C, S, p, P._replace(pc='others' if en.R else 'mark', i=0))
            return
        f, nxt = en.files[P.i], P._replace(i=P.i + 1)
        yield from complete(S, p, P, nxt, f, 'own')
        if 'all-there' not in ON and S.pend >> f & 1:
            yield 'goes on without file %d' % f, setp(S, p, nxt)
        if not (S.obj | S.pend | S.join) >> f & 1 or S.join >> f & 1 and ('joining' not in ON or later_R(S, e, settling(S, e)) & C.dir[f]):
            later = later_R(S, e)
            if S.ended >> e & 1:
                yield 'file %d is absent, entry %d has ended: stops' % (f, e), setp(S, p, END)
            elif later & C.dir[f]:
                if 'later-ended' in ON and en.R and not later_R(S, e, S.ended | settling(S, e)) & C.dir[f]:
                    yield 'file %d is left to a later entry that has not ended: stops' % f, setp(S, p, END)
                else:
                    yield 'file %d is superseded' % f, setp(S, p, nxt)
            else:
                yield 'file %d is lost' % f, setp(S, p, nxt._replace(miss=nxt.miss | 1 << f))
    elif P.pc == 'others':
        fs = followed_files(C, S, e)
        if P.i >= len(fs):
            yield from execution(C, S, p, P._replace(pc='delete', i=0))
            return
        f, nxt = fs[P.i], P._replace(i=P.i + 1)
        if 'finalize' not in ON:
            yield 'does not finalize file %d' % f, setp(S, p, nxt)
            return
        yield from complete(S, p, P, nxt, f, 'followed')
        m = next(m for m in members(en.follows) if f in S.log[m - 1].files)
        if not (S.obj | S.pend | S.join) >> f & 1 or S.join >> f & 1 and ('joining' not in ON or later_R(S, m, settling(S, m, e)) & C.dir[f]):
            yield 'followed file %d is gone' % f, setp(S, p, nxt)
    elif P.pc == 'delete':
        if P.miss and not S.given >> e & 1 and 'halt' in ON:
            yield 'entry %d lost files %s: leaves it to the operator' % (e, members(P.miss)), setp(S, p, END)
            return
        D = en.old | bits(followed_files(C, S, e))
        for f in members(D & S.obj):
            need(not any(f in x.files for x in S.log[e - 1:]), 'S3: entry %d deletes file %d of a later entry, or its own', e, f)
            need(satisfied(C, S, e, C.dir[f]), 'S5: entry %d deletes file %d before all new files are there', e, f)
        yield 'deletes %s' % members(D & S.obj), setp(S, p, P._replace(pc='mark'), obj=S.obj & ~D)
    elif P.pc == 'mark':
        inside = bits(m for m in members(en.follows) if m > S.cut and ('inside' not in ON or not effect(C, S.log[m - 1]) & ~en.R))
        nxt = Proc('supersede', e=e, follows=inside) if inside & ~S.ended and not P.i else END     # who finds it executed reads no followed entry
        T = setp(S, p, nxt, done=S.done | 1 << e, lost=S.lost | (0 if S.ended >> e & 1 else P.miss))
        lost = ', lost %s' % members(P.miss) if P.miss else ''
        yield 'marks the end of %d%s' % (e, lost), T._replace(ended=S.ended | 1 << e)
        if C.meta and not (S.ended | S.done) >> e & 1:
            yield 'leaves the metastore part of %d%s' % (e, lost), T
    elif P.pc == 'supersede':
        yield 'marks %s superseded' % members(P.follows), setp(S, p, END, ended=S.ended | P.follows)

def complete(S, p, P, nxt, f, what):
    b = 1 << f
    if S.pend & b:
        yield 'Complete of %s file %d' % (what, f), setp(S, p, nxt, pend=S.pend & ~b, obj=S.obj | b, ever=S.ever | b)
        if S.losses:
            yield 'Complete of %s file %d: time-out' % (what, f), lose(S, p, P, ('complete', f))
    elif S.obj & b:
        yield '%s file %d is there' % (what, f), setp(S, p, nxt)

# ---- search --------------------------------------------------------------------------------------------------------------
def search(C, seconds, limit=6_000_000):
    s0 = C.start()
    parent = {s0: None}
    for label in C.begin:
        S, s0 = s0, dict(moves(C, s0))[label]
        parent[s0] = (S, label)
    todo, until, n = deque([s0]), time.time() + seconds, 0

    def history(S):
        h = []
        while parent[S]:
            S, label = parent[S]
            h.append(label)
        return h[::-1]
    while todo:
        S = todo.popleft()
        n += 1
        if n % 1000 == 0 and (time.time() > until or len(parent) > limit):
            return len(parent), False, None, ''
        try:
            stuck = True
            for label, T in moves(C, S):
                stuck = False
                if T not in parent:
                    parent[T] = (S, label)
                    try:
                        check(C, T)
                    except Violation as v:
                        return len(parent), True, history(T), str(v)
                    todo.append(T)
            if stuck:
                for p, P in enumerate(S.procs):
                    need(P.pc in ('end', 'list'), 'stuck: p%d waits for ever at %s', p, P.pc)
        except Violation as v:
            return len(parent), True, history(S) + ['(next move)'], str(v)
    return len(parent), True, None, ''

def replay(C, labels):
    S, used = C.start(), []
    try:
        for want in labels:
            for label, T in moves(C, S):
                if label == want:
                    S = T
                    used.append(label)
                    check(C, S)
                    break
        list(moves(C, S))
    except Violation as v:
        return used, str(v)
    return used, None

def walk(C, rnd, length=400):
    S, labels, actor = C.start(), [], ''
    try:
        for _ in range(length):
            ms = list(moves(C, S))
            if not ms:
                return None
            rare = [m for m in ms if m[0].startswith(('clock', 'store')) or 'time-out' in m[0] or 'gives up' in m[0] or 'vanishes' in m[0]]
            same = [m for m in ms if m not in rare and m[0].split()[0] == actor]
            pool = rare if rare and rnd.random() < 0.1 else same if same and rnd.random() < 0.8 else [m for m in ms if m not in rare] or ms
            label, T = rnd.choice(pool)
            actor = label.split()[0] if label[0] == 'p' else actor
            labels.append(label)
            S = T
            check(C, S)
        return None
    except Violation:
        best, msg = replay(C, labels)
        i = 0
        while i < len(best):
            used, m = replay(C, best[:i] + best[i + 1:])
            if m:
                best, msg = used, m
            else:
                i += 1
        return best, msg

REC, GIVEUP, VANISH, FOREIGN = (Role(k, 0, (), 0) for k in ('REC', 'GIVEUP', 'VANISH', 'FOREIGN'))
CONFIGS = {
    'add-replace':     Config('Ua Ub Ua Oa', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2], 'a'), REC]),
    'add-replace-rec2': Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), REC, REC]),
    'two-losses':      Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), REC], losses=2),
    'overlap':         Config('Ua Ub Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(2, 'REPLACE', [2], 'b'), REC]),
    'overlap-rev':     Config('Ua Ub Ub Oa Ob', [J(1, 'REPLACE', [2], 'b'), J(2, 'REPLACE', [0, 1], 'ab'), REC]),
    'overlap-abc':     Config('Ub Uc Ub Oa Ob Oc', [J(1, 'REPLACE', [0], 'ab'), J(2, 'REPLACE', [1, 2], 'bc'), REC]),
    'three':           Config('Ua Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), J(3, 'REPLACE', [2], 'a')]),
    'three-rec':       Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), J(3, 'CLEAR', [], 'a'), REC], losses=1),
    'chain':           Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC]),
    'chain-wide':      Config('Ua Ub', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'ab'), REC]),
    'never-inside':    Config('Ua Ub Ub', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), J(3, 'REPLACE', [2], 'ab'), REC], losses=0),
    'never-two':       Config('Ua Ua', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), J(3, 'CLEAR', [], 'a'), J(4, 'CLEAR', [], 'a')], losses=0),
    'two-clears':      Config('Ua Ub', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'ab'), J(3, 'CLEAR', [], 'b'), J(4, 'HOOK', [], 'a')], losses=0),
    'meta':            Config('Ua Ua Oa', [J(1, 'REPLACE', [0], 'a'), J(2, 'REPLACE', [1], 'a'), REC], meta=True),
    'meta-three':      Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC], meta=True, losses=0),
    'meta-add':        Config('Ua Ub', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), REC, REC], meta=True),
    'restart':         Config('Ua Ub Oa', [J(1, 'ADD', [0, 1]), J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a')]),
    'restart-replace': Config('Ua Ua Oa', [J(1, 'REPLACE', [0], 'a'), J(1, 'REPLACE', [0], 'a'), J(2, 'ADD', [1])]),
    'aborter':         Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(1, 'ABORTER', [0]), J(2, 'REPLACE', [1], 'a')]),
    'abort-restart':   Config('Ua', [J(1, 'ADD', [0]), J(1, 'ABORTER', [0]), J(1, 'ADD', [0])], losses=2),
    'hook':            Config('Ua Ub Oa', [J(1, 'ADD', [0, 1]), J(3, 'HOOK', [], 'a'), REC]),
    'hook-two':        Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), J(2, 'ADD', [1])]),
    'hook-replace':    Config('Ua Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(3, 'HOOK', [], 'a'), REC]),
    'hook-rec2':       Config('Ua Oa', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), REC, REC]),
    'hook-clear':      Config('Ua', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), J(2, 'CLEAR', [], 'a')]),
    'vanish':          Config('Ua Ub Oa', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), REC, VANISH], losses=0),
    'vanish-replace':  Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), REC, VANISH]),
    'vanish-two':      Config('Ua Ua Oa', [J(1, 'REPLACE', [0], 'a'), J(2, 'REPLACE', [1], 'a'), VANISH], losses=0),
    'vanish-two-rec':  Config('Ua Ua Oa', [J(1, 'REPLACE', [0], 'a'), J(2, 'REPLACE', [1], 'a'), REC, VANISH]),
    'vanish-wide':     Config('Ua Ub Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(2, 'REPLACE', [2], 'b'), REC, VANISH], losses=0),
    'giveup':          Config('Ua Ub Oa', [J(1, 'REPLACE', [0, 1], 'a'), J(2, 'CLEAR', [], 'a'), GIVEUP]),
    'giveup-rec':      Config('Ua Ua Oa', [J(1, 'REPLACE', [0, 1], 'a'), GIVEUP, REC, VANISH]),
    'giveup-replace':  Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), GIVEUP, REC], losses=0),
    'cut-rec':         Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), REC], cut=True),
    'cut-three':       Config('Ua Ua', [J(1, 'ADD', [0]), J(2, 'ADD', [1]), J(3, 'CLEAR', [], 'a')], cut=True),
    'cut-restart':     Config('Ua', [J(1, 'ADD', [0]), J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a')], cut=True),
    'cut-abort':       Config('Ua', [J(1, 'ADD', [0]), J(1, 'ABORTER', [0]), J(2, 'CLEAR', [], 'a')], cut=True),
    'cut-chain':       Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC], losses=0, cut=True),
    'run':             Config('Ua Ua', [J(1, 'ADD', [0], run=1), J(2, 'ADD', [1], run=1), REC], losses=2),
    'run-abort':       Config('Ua Ua', [J(1, 'ADD', [0], run=1), J(1, 'ABORTER', [0]), J(2, 'ADD', [1], run=1)]),
    'run-cut':         Config('Ua Ua', [J(1, 'ADD', [0], run=1), J(2, 'ADD', [1], run=1), J(3, 'CLEAR', [], 'a')], cut=True),
    'cut-replace':     Config('Ua Ub Oa', [J(1, 'REPLACE', [0], 'a'), J(2, 'REPLACE', [1], 'ab'), J(3, 'HOOK', [], 'a'), REC], losses=0, cut=True),
}
KNOWN = {
    'foreign':         Config('Ua', [J(1, 'ADD', [0]), FOREIGN, REC], losses=0),
}
LARGE = {
    'walk-5':          Config('Ua Ub Ua Ub Ua Ub Oa Ob', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2, 3], 'ab'), J(3, 'REPLACE', [4], 'a'), J(4, 'REPLACE', [5], 'b'), REC, REC], 2),
    'walk-abc':        Config('Ub Uc Ub Ua Ua Uc Oa Ob Oc', [J(1, 'REPLACE', [0], 'ab'), J(2, 'REPLACE', [1, 2], 'bc'), J(3, 'REPLACE', [3], 'ac'), J(4, 'ADD', [4, 5]), REC, REC, REC], 2),
    'walk-restart':    Config('Ua Ub Ua Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(1, 'REPLACE', [0, 1], 'ab'), J(2, 'ADD', [2, 3]), J(3, 'CLEAR', [], 'a'), REC, REC], 2),
    'walk-abort':      Config('Ua Ub Ua Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(1, 'ABORTER', [0, 1]), J(1, 'REPLACE', [0, 1], 'ab'), J(2, 'ADD', [2]), J(3, 'REPLACE', [3], 'b'), REC], 3),
    'walk-hook':       Config('Ua Ua Ub Oa Ob', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), J(2, 'ADD', [1]), J(4, 'REPLACE', [2], 'ab'), J(5, 'HOOK', [], 'ab'), REC], 2),
    'walk-damage':     Config('Ua Ub Ua Ub Oa Ob', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2, 3], 'ab'), J(3, 'CLEAR', [], 'a'), REC, REC, GIVEUP, VANISH], 2),
    'walk-cut':        Config('Ua Ub Ua Ub Oa Ob', [J(1, 'ADD', [0, 1]), J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2, 3], 'ab'), J(3, 'CLEAR', [], 'a'), J(4, 'HOOK', [], 'b'), REC, REC], 2, cut=True),
    'walk-run':        Config('Ua Ub Ua Ub Ua Ub Oa', [J(1, 'ADD', [0, 1], run=1), J(1, 'ADD', [0, 1], run=1), J(1, 'ABORTER', [0, 1]), J(2, 'ADD', [2, 3], run=1), J(3, 'ADD', [4], run=1),
                                                        J(4, 'REPLACE', [5], 'ab'), REC], 2, cut=True),
    'walk-six':        Config('Ua Ub Ua Ub Ub Oa Ob', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2], 'a'), J(3, 'REPLACE', [3], 'ab'), J(4, 'ADD', [4]), J(5, 'CLEAR', [], 'b'), J(6, 'HOOK', [], 'ab'), REC, REC], 2, cut=True),
}

def report(name, C, seconds):
    t = time.time()
    n, complete_, h, msg = search(C, seconds)
    print('%-17s %8d states %5.0f s  %s' % (name, n, time.time() - t, msg or ('complete' if complete_ else 'no violation so far (NOT complete)')), flush=True)
    for l in h or []:
        print('        ' + l)
    return h

def main(argv):
    args = list(argv)
    for a in [a for a in args if a[0] == '-']:
        ON.discard(a[1:])
        args.remove(a)
    cmd = args[0] if args else 'all'
    seconds = float(args[-1]) if len(args) > 1 and args[-1].replace('.', '').isdigit() else 60
    if cmd == 'all':
        return any([report(n, C, seconds) for n, C in CONFIGS.items()])
    if cmd == 'known':
        return not all([report(n, C, seconds) for n, C in KNOWN.items()])
    if cmd == 'one':
        return bool(report(args[1], {**CONFIGS, **KNOWN, **LARGE}[args[1]], seconds))
    if cmd == 'without':
        missed = []
        for rule in RULES:
            ON.discard(rule)
            best = None
            for n, C in sorted(CONFIGS.items(), key=lambda x: len(x[1].roles)):
                states, _, h, msg = search(C, seconds, 300_000)
                if h and (best is None or len(h) < len(best[1])):
                    best = (n, h, msg)
                    break
            ON.add(rule)
            print('%-14s %s' % (rule, RULES[rule]))
            if best:
                print('    %s: %s' % (best[0], best[2]))
                for l in best[1]:
                    print('        ' + l)
            else:
                missed.append(rule)
                print('    NO COUNTEREXAMPLE')
            sys.stdout.flush()
        return bool(missed)
    if cmd == 'traces':
        traces = []
        for rule in RULES:
            ON.discard(rule)
            for n, C in sorted(CONFIGS.items(), key=lambda x: len(x[1].roles)):
                _, _, h, msg = search(C, seconds, 300_000)
                if h:
                    traces.append({'rule': rule, 'says': RULES[rule], 'violates': msg, 'moves': h,
                                   'files': [('U' if C.uploads >> f & 1 else 'O') + C.names[C.dir[f].bit_length() - 1] for f in range(len(C.dir))],
                                   'roles': [{'kind': r.kind, 'job': r.job, 'run': r.run, 'files': r.files, 'replaces': [C.names[d] for d in members(r.R)]} for r in C.roles]})
                    break
            print('%-16s %s' % (rule, traces[-1]['violates'] if traces and traces[-1]['rule'] == rule else 'nothing found'), flush=True)
            ON.add(rule)
        with open(args[1], 'w') as out:
            json.dump({'model': hashlib.sha256(open(__file__, 'rb').read()).hexdigest(), 'traces': traces}, out, indent=1)
            out.write('\n')
        return False
    if cmd == 'walk':
        seed = int(args[2]) if len(args) > 2 else 1
        until, n = time.time() + float(args[1]), 0
        while time.time() < until:
            rnd = random.Random(seed + n)
            name, C = rnd.choice(list(LARGE.items()))
            r = walk(C, rnd)
            n += 1
            if r:
                print('%s seed %d: %s' % (name, seed + n - 1, r[1]))
                for l in r[0]:
                    print('        ' + l)
                return True
        print('%d random histories, no violation' % n)
        return False

if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
