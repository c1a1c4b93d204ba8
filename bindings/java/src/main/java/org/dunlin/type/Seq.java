package org.dunlin.type;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collection;
import java.util.RandomAccess;
import java.util.function.UnaryOperator;

/**
 * A sequence of what is no number. It keeps elements that it had before, and reads into them again.
 *
 * @param <E> the class of elements
 */
public final class Seq<E> extends AbstractList<E> implements RandomAccess {
    private Object[] elements;
    private int size;

    /** An empty sequence. */
    public Seq() {
        elements = new Object[0];
    }

    /**
     * A sequence of what is in another collection.
     *
     * @param of the elements
     */
    public Seq(Collection<? extends E> of) {
        elements = of.toArray();
        size = elements.length;
    }

    /**
     * A sequence of elements.
     *
     * @param <E> their class
     * @param of the elements
     * @return the sequence
     */
    @SafeVarargs
    public static <E> Seq<E> of(E... of) {
        Seq<E> made = new Seq<>();
        for (E element : of) {
            made.add(element);
        }
        return made;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    @SuppressWarnings("unchecked")
    public E get(int index) {
        java.util.Objects.checkIndex(index, size);
        return (E) elements[index];
    }

    @Override
    @SuppressWarnings("unchecked")
    public E set(int index, E element) {
        java.util.Objects.checkIndex(index, size);
        E before = (E) elements[index];
        elements[index] = element;
        return before;
    }

    @Override
    public void add(int index, E element) {
        java.util.Objects.checkIndex(index, size + 1);
        room(size + 1);
        System.arraycopy(elements, index, elements, index + 1, size - index);
        elements[index] = element;
        size++;
        modCount++;
    }

    @Override
    @SuppressWarnings("unchecked")
    public E remove(int index) {
        java.util.Objects.checkIndex(index, size);
        E before = (E) elements[index];
        System.arraycopy(elements, index + 1, elements, index, size - index - 1);
        size--;
        elements[size] = null;
        modCount++;
        return before;
    }

    @Override
    public void clear() {
        size = 0;
        modCount++;
    }

    private void room(int wanted) {
        if (wanted > elements.length) {
            elements = Arrays.copyOf(elements, Math.max(wanted, elements.length * 2));
        }
    }

    /**
     * What was at a place before, for generated code.
     *
     * @param index the place
     * @return an element to be read into; null if there is none
     */
    @SuppressWarnings("unchecked")
    public E spare(int index) {
        return index < elements.length ? (E) elements[index] : null;
    }

    /**
     * Puts an element to the end, for generated code.
     *
     * @param index the size so far
     * @param element the element
     */
    public void put(int index, E element) {
        room(index + 1);
        elements[index] = element;
        size = index + 1;
        modCount++;
    }

    /** Has the first elements only. */
    void resize(int count) {
        size = count;
        modCount++;
    }

    /**
     * Becomes equal to another sequence.
     *
     * @param from the other one
     * @param copy what makes a copy of an element
     */
    public void copyFrom(Seq<E> from, UnaryOperator<E> copy) {
        clear();
        for (int i = 0; i < from.size; i++) {
            put(i, copy.apply(from.get(i)));
        }
    }

    /**
     * A copy.
     *
     * @param copy what makes a copy of an element
     * @return a sequence of its own
     */
    public Seq<E> copy(UnaryOperator<E> copy) {
        Seq<E> made = new Seq<>();
        made.copyFrom(this, copy);
        return made;
    }
}
